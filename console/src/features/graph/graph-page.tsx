import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function GraphPage() {
  const t = useT();
  return <Page title={t('nav.graph')}>{null}</Page>;
}
