import { useNavigate } from '@tanstack/react-router';
import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import type { BulkView } from '../../../../src/admin/contract/bulk.js';
import type { Permission } from '../../../../src/admin/contract/session.js';
import { useMay } from '../../api/session';
import { BulkDialog } from '../../components/bulk-dialog';
import { useT } from '../../lib/i18n';

/** The same once more for what failed, as a bulk action of its own: counted first, with a reason, in the audit log. */
export function AgainFailed({ bulk, permission }: { bulk: BulkView; permission: Permission }) {
  const t = useT();
  const navigate = useNavigate();
  const may = useMay(permission);
  const [open, setOpen] = useState(false);
  const blocked = bulk.endedAt === null ? t('bulk.againNotYet') : bulk.failed === 0 ? t('bulk.againNone') : null;
  const why = may ? blocked : t('error.needs', { permission });
  return (
    <>
      <Tooltip title={why}>
        <Button
          aria-disabled={why !== null}
          className={why === null ? undefined : 'is-disabled'}
          aria-label={[t('bulk.again'), bulk.id, why].filter(Boolean).join(' – ')}
          onClick={() => why === null && setOpen(true)}
        >
          {t('bulk.again')}
        </Button>
      </Tooltip>
      {open && (
        <BulkDialog
          kind={bulk.kind}
          filter={{ failedOf: bulk.id }}
          given={bulk.change}
          close={() => setOpen(false)}
          started={(bulkId) => void navigate({ to: '/bulk/$bulkId', params: { bulkId } })}
        />
      )}
    </>
  );
}
