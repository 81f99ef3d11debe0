import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { ActorName } from './actor-name';
import { AuditObject } from './audit-object';
import { ChangeLine } from './changed-lines';

export function useAuditColumns(without?: ReadonlySet<string>): Column<AuditEntry>[] {
  const t = useT();
  const code = useCodeText();
  return useMemo(() => {
    const columns: Column<AuditEntry>[] = [
      { key: 'at', title: t('task.at'), cell: ({ at }) => <Instant at={at} /> },
      {
        key: 'actor',
        title: t('audit.actor'),
        cell: (entry) => (
          <span className="change-line actor">
            <ActorName entry={entry} short />
          </span>
        ),
      },
      {
        key: 'action',
        title: t('audit.action'),
        cell: ({ id, action }) => (
          <Link to="." search={((before: object) => ({ ...before, peek: id })) as never} title={action} className="one-line">
            {code('deed', action)}
          </Link>
        ),
      },
      { key: 'object', title: t('audit.object'), cell: (entry) => <AuditObject object={entry.object} short /> },
      { key: 'group', title: t('task.group'), cell: ({ group }) => <bdi>{group ?? ''}</bdi> },
      {
        key: 'reason',
        title: t('audit.reason'),
        cell: ({ reason }) => <WrittenText text={reason} className="change-line" title />,
      },
      { key: 'change', title: t('audit.change'), cell: (entry) => <ChangeLine entry={entry} /> },
      {
        key: 'from',
        title: t('audit.address'),
        cell: ({ actorIp, userAgent }) => <span title={userAgent ?? undefined}>{actorIp ?? ''}</span>,
      },
      { key: 'id', optional: true, title: t('audit.id'), cell: ({ id }) => <ShortId id={id} /> },
    ];
    return columns.filter(({ key }) => !without?.has(key));
  }, [t, code, without]);
}
