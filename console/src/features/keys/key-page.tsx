import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function KeyPage() {
  const t = useT();
  return <Page title={t('nav.keys')}>{null}</Page>;
}
