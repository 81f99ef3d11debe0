import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function OverviewPage() {
  const t = useT();
  return <Page title={t('overview.title')}>{null}</Page>;
}
