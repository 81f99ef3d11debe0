import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function WorkerPage() {
  const t = useT();
  return <Page title={t('nav.workers')}>{null}</Page>;
}
