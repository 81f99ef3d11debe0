import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function TasksPage() {
  const t = useT();
  return <Page title={t('nav.tasks')}>{null}</Page>;
}
