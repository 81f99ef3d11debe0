import { useNavigate } from '@tanstack/react-router';
import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import { useMay } from '../../api/session';
import { BulkDialog } from '../../components/bulk-dialog';
import { useT } from '../../lib/i18n';
import type { GraphJob } from './graph-model';

/** What one bulk action takes by id. */
const MOST = 1_000;

/** Pauses a job and all that waits for it, or sets them going again, as one bulk action. */
export function ChainButton({ job, ids }: { job: GraphJob; ids: readonly string[] }) {
  const t = useT();
  const navigate = useNavigate();
  const may = useMay('jobs.pause', job.group);
  const [asked, setAsked] = useState(false);
  const kind = job.state === 'active' ? 'jobs.pause' : 'jobs.resume';
  const label = t(kind === 'jobs.pause' ? 'graph.pauseChain' : 'graph.resumeChain', { n: ids.length });
  const why = may ? null : t('error.needs', { permission: 'jobs.pause' });
  return (
    <>
      <Tooltip title={why}>
        <Button
          aria-disabled={!may}
          className={may ? undefined : 'is-disabled'}
          aria-label={[label, why].filter(Boolean).join(' – ')}
          onClick={() => may && setAsked(true)}
        >
          {label}
        </Button>
      </Tooltip>
      {asked && (
        <BulkDialog
          kind={kind}
          filter={{ ids: ids.slice(0, MOST) }}
          close={() => setAsked(false)}
          started={(id) => void navigate({ to: '/bulk/$bulkId', params: { bulkId: id } })}
        />
      )}
    </>
  );
}
