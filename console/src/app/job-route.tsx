import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../api/session';
import { AuditList } from '../features/audit/audit-list';
import { auditSearch } from '../features/audit/search';
import { JobCallbacks } from '../features/callbacks/job-callbacks';
import { JobPage } from '../features/jobs/job-page';

const OF_ONE_JOB: ReadonlySet<string> = new Set(['object', 'group']);

/** A job, what was told of its tasks, and who changed it: features that need not know each other. */
export function JobRoute() {
  const mayCallbacks = useMay('keys.view');
  const mayAudit = useMay('audit.view');
  return (
    <JobPage
      callbacks={mayCallbacks ? (jobId) => <JobCallbacks jobId={jobId} /> : null}
      audit={mayAudit ? (jobId) => <JobAudit jobId={jobId} /> : null}
    />
  );
}

function JobAudit({ jobId }: { jobId: string }) {
  const navigate = useNavigate();
  const { after, sort } = auditSearch(useSearch({ strict: false }));
  const go = (change: object) => void navigate({ to: '.', search: { tab: 'audit', sort, ...change } as never });
  return (
    <div className="stack">
      <AuditList
        search={{ objectType: 'job', objectId: jobId, after, sort }}
        without={OF_ONE_JOB}
        onGo={(next) => go({ after: next })}
        onSort={(by) => go({ sort: by })}
      />
    </div>
  );
}
