import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { AuditFilters } from './audit-filters';
import { AuditList } from './audit-list';
import { type AuditSearch, auditSearch } from './search';
import './audit.css';

/** Who changed what, when and why. Nothing in it is ever changed. */
export function AuditPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => auditSearch(raw), [raw]);
  const navigate = useNavigate();
  const go = (change: Partial<AuditSearch>) =>
    void navigate({ to: '/audit', search: { ...search, after: undefined, ...change } as never });
  return (
    <Page title={t('nav.audit')}>
      <AuditFilters search={search} onChange={go} onReset={() => void navigate({ to: '/audit', search: {} as never })} />
      <AuditList search={search} onGo={(after) => go({ after })} onSort={(sort) => go({ sort })} />
    </Page>
  );
}
