import { Collapse } from 'antd';
import { useMemo } from 'react';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { AuditObject } from './audit-object';
import { ChangedLines, changedLines } from './changed-lines';

export function useAuditColumns(): Column<AuditEntry>[] {
  const t = useT();
  return useMemo(
    () => [
      { key: 'at', title: t('task.at'), cell: ({ at }) => <Instant at={at} /> },
      { key: 'actor', title: t('audit.actor'), cell: ({ actor }) => <bdi className="mono">{actor}</bdi> },
      { key: 'action', title: t('audit.action'), cell: ({ action }) => <code>{action}</code> },
      { key: 'object', title: t('audit.object'), cell: (entry) => <AuditObject {...entry} /> },
      { key: 'group', title: t('task.group'), cell: ({ group }) => <bdi>{group ?? ''}</bdi> },
      { key: 'reason', title: t('audit.reason'), cell: ({ reason }) => <bdi>{reason ?? ''}</bdi> },
      { key: 'change', title: t('audit.change'), width: 200, cell: (entry) => <Change entry={entry} /> },
      {
        key: 'from',
        title: t('audit.address'),
        cell: ({ actorIp, userAgent }) => <span title={userAgent ?? undefined}>{actorIp ?? ''}</span>,
      },
      { key: 'id', title: t('audit.id'), cell: ({ id }) => <code>{id}</code> },
    ],
    [t],
  );
}

function Change({ entry }: { entry: AuditEntry }) {
  const t = useT();
  const { length } = changedLines(entry);
  if (length === 0) return null;
  const label = t('audit.fields', { n: length });
  return <Collapse ghost size="small" items={[{ key: 'change', label, children: <ChangedLines entry={entry} /> }]} />;
}
