import type { AuditEntry } from '../../../../src/admin/contract/audit.js';

export type Change = Pick<AuditEntry, 'object' | 'before' | 'after'>;

/** A value that stands for itself; null: there was none before, or is none after. */
export type Leaf = string | null;
export interface ChangedMember {
  /** Where it stands in what was logged: `schedule.everyMs`. */
  name: string;
  from: Leaf;
  to: Leaf;
}

/** Members that differ, those within others each for itself. */
export function changedMembers({ before, after }: Change): ChangedMember[] {
  const [a, b] = [leaves(before), leaves(after)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, from: a.get(name) ?? null, to: b.get(name) ?? null }))
    .filter(({ from, to }) => from !== to);
}

function leaves(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (value === undefined || value === null) return found;
  if (isList(value)) found.set(path, value.join(', '));
  else if (typeof value === 'object' && !Array.isArray(value))
    for (const [name, member] of Object.entries(value)) leaves(member, path === '' ? name : `${path}.${name}`, found);
  else if (path !== '') found.set(path, typeof value === 'string' ? value : JSON.stringify(value));
  return found;
}

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && !each.includes(','));

/** What somebody made up is shown as it is, whatever it looks like. */
const WRITTEN = /^(metadata|params|paramsText|description|labels?|tags|reason|pauseReason)(\.|$)/;

/** Milliseconds of an instant, where the member is one by its name. */
export function instantOf({ name }: Pick<ChangedMember, 'name'>, value: string): number | null {
  if (WRITTEN.test(name) || !/(At|Until|(^|\.)(until|since|from|to))$/.test(name)) return null;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : null;
}

/** Closed lists that states are of, by what was acted on. */
const STATES: Record<string, readonly string[]> = {
  task: ['state'],
  job: ['jobState', 'backfillState'],
  bulk: ['bulkState', 'state'],
  worker: ['workerState'],
  endpoint: ['endpoint', 'auditState'],
  delivery: ['delivery'],
  key: ['keys.state'],
  audit: ['state'],
};
const LISTS: Record<string, readonly string[]> = {
  role: ['role'],
  grants: ['role'],
  overlap: ['overlap'],
  misfire: ['misfire'],
  routing: ['routing'],
  trigger: ['trigger'],
  onShardFailure: ['onShardFailure'],
};

/** The closed lists in which the words of a member's values are looked for. */
export function listsOf({ object }: Pick<Change, 'object'>, { name }: Pick<ChangedMember, 'name'>): readonly string[] {
  if (WRITTEN.test(name)) return [];
  const parts = name.split('.');
  if (parts.at(-1) === 'state') return STATES[object.type] ?? [];
  return parts.flatMap((part) => LISTS[part] ?? []);
}
