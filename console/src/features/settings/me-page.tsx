import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function MePage() {
  const t = useT();
  return <Page title={t('nav.settings')}>{null}</Page>;
}
