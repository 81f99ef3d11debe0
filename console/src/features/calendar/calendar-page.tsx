import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function CalendarPage() {
  const t = useT();
  return <Page title={t('nav.calendar')}>{null}</Page>;
}
