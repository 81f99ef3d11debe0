import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function GroupsPage() {
  const t = useT();
  return <Page title={t('nav.groups')}>{null}</Page>;
}
