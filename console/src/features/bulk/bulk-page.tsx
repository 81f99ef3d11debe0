import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function BulkPage() {
  const t = useT();
  return <Page title={t('nav.bulk')}>{null}</Page>;
}
