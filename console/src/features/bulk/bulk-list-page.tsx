import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function BulkListPage() {
  const t = useT();
  return <Page title={t('nav.bulk')}>{null}</Page>;
}
