import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function TransferPage() {
  const t = useT();
  return <Page title={t('nav.transfer')}>{null}</Page>;
}
