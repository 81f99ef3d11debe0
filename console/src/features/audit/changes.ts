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

/** Tells which object it is, or that it was changed at all: what else differs says more. */
const INCIDENTAL = /^(id|key|version|revision|accessKey|app)(\.|$)/;

/** Members that differ, those within others each for itself; first those that say most. */
export function changedMembers({ before, after }: Change): ChangedMember[] {
  const [a, b] = [leaves(before), leaves(after)];
  const members = [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, from: a.get(name) ?? null, to: b.get(name) ?? null }))
    .filter(({ from, to }) => from !== to);
  const incidental = ({ name }: ChangedMember) => Number(INCIDENTAL.test(name));
  return members.sort((one, other) => incidental(one) - incidental(other));
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

/** Below these, names are what somebody made up. */
const NAMED_BY_SOMEBODY = new Set(['grants', 'metadata', 'param', 'params']);

/** What a member is called, part by part; a part that has no words stands as it was logged. `word`: of a path, null where there is none. */
export function memberName(
  { object }: Pick<Change, 'object'>,
  { name }: Pick<ChangedMember, 'name'>,
  word: (path: string) => string | null,
): string {
  const parts = name.split('.');
  const free = parts.findIndex((part) => NAMED_BY_SOMEBODY.has(part));
  const known = free < 0 ? parts : parts.slice(0, free + 1);
  const words = known.map((part, i) => word(`${parts[i - 1] ?? object.type}.${part}`) ?? word(part) ?? part);
  return [...words, ...(known.length < parts.length ? [parts.slice(known.length).join('.')] : [])].join(' · ');
}

/** Milliseconds of a length of time, where the member is one by its name. */
export function lengthOf({ name }: Pick<ChangedMember, 'name'>, value: string): number | null {
  return !WRITTEN.test(name) && name.endsWith('Ms') && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Closed lists that states are of, by what was acted on. */
const STATES: Record<string, readonly string[]> = {
  task: ['state'],
  job: ['jobState', 'backfillState'],
  bulk: ['bulkState', 'state', 'jobState'],
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
/** Closed lists of kinds, by what is of that kind. */
const KINDS: Record<string, readonly string[]> = {
  bulk: ['bulk'],
  key: ['keys.kind'],
  schedule: ['jobs.kind'],
  retry: ['retryKind'],
};
const OF_DST: Record<string, readonly string[]> = { gap: ['jobs.dstGap'], overlap: ['jobs.dstOverlap'] };

/** The closed lists in which the words of a member's values are looked for. */
export function listsOf({ object }: Pick<Change, 'object'>, { name }: Pick<ChangedMember, 'name'>): readonly string[] {
  if (WRITTEN.test(name)) return [];
  const parts = name.split('.');
  const [within = object.type, last = ''] = parts.length > 1 ? parts.slice(-2) : [undefined, name];
  if (last === 'state') return STATES[object.type] ?? [];
  if (last === 'kind') return KINDS[within] ?? [];
  if (within === 'dst') return OF_DST[last] ?? [];
  return parts.flatMap((part) => LISTS[part] ?? []);
}
