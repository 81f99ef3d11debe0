import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { objectPath } from '../../lib/object-paths';

/** What was acted on, and the way to it. */
export function AuditObject({ object: { type, id } }: Pick<AuditEntry, 'object'>) {
  const to = objectPath(type, id);
  const name = <bdi className="mono">{id ?? ''}</bdi>;
  return (
    <span>
      {type} {to === null ? name : <Link to={to}>{name}</Link>}
    </span>
  );
}
