import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';

export function AuditPage() {
  const t = useT();
  return <Page title={t('nav.audit')}>{null}</Page>;
}
