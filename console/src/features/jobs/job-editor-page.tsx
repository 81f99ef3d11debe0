import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function JobEditorPage() {
  const t = useT();
  return <Page title={t('nav.jobs')}>{null}</Page>;
}
