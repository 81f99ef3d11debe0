import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { useCodeText } from '../../lib/i18n';
import { objectPath } from '../../lib/object-paths';

/** An id of ours: what tells one from another is its end. */
const OURS = /^[a-z]+_[0-9A-Z]{26}$/i;

/** What was acted on, and the way to it. `short`: the end of a long id, whole on hover. */
export function AuditObject({ object: { type, id }, short = false }: Pick<AuditEntry, 'object'> & { short?: boolean }) {
  const code = useCodeText();
  const to = objectPath(type, id);
  const text = id !== null && short && (OURS.test(id) || type === 'key') ? `…${id.slice(-8)}` : (id ?? '');
  const name = (
    <bdi className="mono" title={text === id ? undefined : (id ?? undefined)}>
      {text}
    </bdi>
  );
  return (
    <span className="one-line">
      {code('kindOf', type)} {to === null ? name : <Link to={to}>{name}</Link>}
    </span>
  );
}
