import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function CallbacksPage() {
  const t = useT();
  return <Page title={t('nav.callbacks')}>{null}</Page>;
}
