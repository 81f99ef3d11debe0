import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function AlertsPage() {
  const t = useT();
  return <Page title={t('nav.alerts')}>{null}</Page>;
}
