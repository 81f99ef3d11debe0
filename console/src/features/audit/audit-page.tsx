import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Page } from '../../components/page';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { useT } from '../../lib/i18n';
import { AuditFilters } from './audit-filters';
import { AuditList } from './audit-list';
import { AUDIT_RULES, type AuditSearch, auditSearch } from './search';
import './audit.css';

/** Who changed what, when and why. Nothing in it is ever changed. */
export function AuditPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => auditSearch(raw), [raw]);
  const { strays, blocked } = useStrays(AUDIT_RULES);
  const navigate = useNavigate();
  const go = (change: Partial<AuditSearch>) =>
    void navigate({ to: '/audit', search: { ...raw, after: undefined, ...change } as never });
  return (
    <Page title={t('nav.audit')}>
      <AuditFilters search={search} onChange={go} onReset={() => void navigate({ to: '/audit', search: {} as never })} />
      <StrayFilters strays={strays} />
      {!blocked && <AuditList search={search} onGo={(after) => go({ after })} onSort={(sort) => go({ sort })} />}
    </Page>
  );
}
