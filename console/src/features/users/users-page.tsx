import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function UsersPage() {
  const t = useT();
  return <Page title={t('nav.users')}>{null}</Page>;
}
