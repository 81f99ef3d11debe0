import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import type { Query } from '../../api/client';
import { sortsOf } from '../../components/sorting';
import { one, oneOf, type RawSearch, type SearchRules } from '../../lib/search';
import { WINDOWS, type Window, windowStart } from '../../lib/since';

export const TEXT_FILTERS = ['actor', 'action', 'objectType', 'objectId', 'group', 'bulk'] as const;

export const ACTOR_KINDS = ['user', 'partner', 'command', 'system'] as const satisfies AuditEntry['actorKind'][];

/** What an index of the server has in order. */
export const SORTED_COLUMNS = ['at', 'actor', 'action'] as const;
const SORTS = sortsOf(SORTED_COLUMNS);

/** The log as its URL says; what is a default is left out of the URL. `from` and `to` are stated by links: the choice is of `since`. */
export interface AuditSearch extends Partial<Record<(typeof TEXT_FILTERS)[number] | 'from' | 'to' | 'after', string>> {
  actorKind?: AuditEntry['actorKind'];
  since?: Exclude<Window, 'all'>;
  sort?: (typeof SORTS)[number];
}

/** What the address of the log may say. Deeds and kinds of objects may be newer than this console. */
export const AUDIT_RULES: SearchRules = {
  names: [...TEXT_FILTERS, 'from', 'to', 'after', 'since', 'actorKind', 'sort', 'peek'],
  values: { since: WINDOWS, actorKind: ACTOR_KINDS },
};

export function auditSearch(raw: RawSearch): AuditSearch {
  const since = oneOf(raw, 'since', WINDOWS);
  return {
    ...Object.fromEntries([...TEXT_FILTERS, 'from', 'to', 'after'].map((name) => [name, one(raw, name)])),
    since: since === 'all' ? undefined : since,
    actorKind: oneOf(raw, 'actorKind', ACTOR_KINDS),
    sort: oneOf(raw, 'sort', SORTS),
  };
}

/** What is asked; an exact time outweighs a window. */
export const auditQuery = ({ since, after, ...filters }: AuditSearch): Query => ({
  ...filters,
  from: filters.from ?? (since && windowStart(since)),
  cursor: after,
});
