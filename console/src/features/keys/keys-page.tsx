import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function KeysPage() {
  const t = useT();
  return <Page title={t('nav.keys')}>{null}</Page>;
}
