import { Link } from '@tanstack/react-router';
import { Descriptions } from 'antd';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { Instant } from '../../components/instant';
import { Peek } from '../../components/peek';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { objectPath } from '../../lib/object-paths';
import { ActorName } from './actor-name';
import { AuditObject } from './audit-object';
import { ChangedLines } from './changed-lines';

/** One entry with all it says, beside the list. */
export function AuditPeek({ entry, close }: { entry: AuditEntry; close: () => void }) {
  const t = useT();
  const code = useCodeText();
  const { id, at, actorIp, userAgent, action, object, group, reason, requestId, bulkId } = entry;
  return (
    <Peek title={code('deed', action)} to={objectPath(object.type, object.id) ?? undefined} close={close}>
      <Descriptions
        bordered
        size="small"
        column={1}
        items={[
          { key: 'action', label: t('audit.action'), children: <code>{action}</code> },
          { key: 'at', label: t('task.at'), children: <Instant at={at} /> },
          { key: 'actor', label: t('audit.actor'), children: <ActorName entry={entry} /> },
          { key: 'object', label: t('audit.object'), children: <AuditObject object={object} /> },
          { key: 'group', label: t('task.group'), children: <bdi>{group ?? '–'}</bdi> },
          { key: 'reason', label: t('audit.reason'), children: <WrittenText text={reason ?? '–'} /> },
          {
            key: 'from',
            label: t('audit.address'),
            children: (
              <bdi>
                {actorIp ?? '–'} {userAgent}
              </bdi>
            ),
          },
          { key: 'request', label: t('error.requestId'), children: <code>{requestId ?? '–'}</code> },
          {
            key: 'bulk',
            label: t('audit.filter.bulk'),
            children:
              bulkId === null ? (
                '–'
              ) : (
                <Link to="/bulk/$bulkId" params={{ bulkId }}>
                  <code>{bulkId}</code>
                </Link>
              ),
          },
          { key: 'id', label: t('audit.id'), children: <code>{id}</code> },
        ]}
      />
      <h2>{t('audit.change')}</h2>
      <ChangedLines entry={entry} />
    </Peek>
  );
}
