import type { JobDefinitionView } from '../../../../src/admin/contract/jobs.js';

export type Side = 'theirs' | 'yours';
/** A part of a definition that two edits of one version left different. */
export interface Difference {
  /** A member of the definition, or `schedule.` and a member of its schedule. */
  name: string;
  /** Undefined: not stated. */
  base: unknown;
  theirs: unknown;
  yours: unknown;
  /** Who made it differ from the base; `unknown` if the base is not kept. Only of what one side changed it is clear which one holds. */
  changedBy: Side | 'both' | 'unknown';
}

/**
 * What the edits disagree about, in the order of the definition; what both changed alike is no difference. Schedules of one kind are
 * compared member by member, of several as a whole. `base` null: it is not kept any more.
 */
export function differencesOf(base: JobDefinitionView | null, theirs: JobDefinitionView, yours: JobDefinitionView): Difference[] {
  const sameKind = [base ?? theirs, yours].every(({ schedule }) => schedule.kind === theirs.schedule.kind);
  const [was, one, other] = [base && partsOf(base, sameKind), partsOf(theirs, sameKind), partsOf(yours, sameKind)];
  const names = [...new Set([was ?? {}, one, other].flatMap(Object.keys))];
  return names
    .filter((name) => !isSame(one[name], other[name]))
    .map((name) => ({
      name,
      base: was?.[name],
      theirs: one[name],
      yours: other[name],
      changedBy: changer(was, one, other, name),
    }));
}

/** Theirs, with your value wherever `sideOf` says so. The zone of a cron schedule is stated once: as the zone of the job. */
export function mergedDefinition(
  theirs: JobDefinitionView,
  differences: readonly Difference[],
  sideOf: (difference: Difference) => Side,
): JobDefinitionView {
  const apart = !differences.some(({ name }) => name === 'schedule');
  const parts = { ...partsOf(theirs, apart) };
  for (const difference of differences) parts[difference.name] = difference[sideOf(difference)];
  const stated = Object.entries(parts).filter(([, value]) => value !== undefined);
  const ofSchedule = stated
    .filter(([name]) => name.startsWith(SCHEDULE))
    .map(([name, value]) => [name.slice(SCHEDULE.length), value]);
  return {
    ...Object.fromEntries(stated.filter(([name]) => !name.startsWith(SCHEDULE))),
    ...(apart ? { schedule: { kind: theirs.schedule.kind, ...Object.fromEntries(ofSchedule) } } : {}),
  } as JobDefinitionView;
}

type Parts = Record<string, unknown>;
const SCHEDULE = 'schedule.';

/** `apart`: the members of the schedule one by one, without its kind. */
function partsOf({ schedule, ...members }: JobDefinitionView, apart: boolean): Parts {
  const { timeZone: _, ...zoneless } = schedule as JobDefinitionView['schedule'] & { timeZone?: string };
  if (!apart) return { ...members, schedule: zoneless };
  const { kind: __, ...ofSchedule } = zoneless;
  return { ...members, ...Object.fromEntries(Object.entries(ofSchedule).map(([name, value]) => [`${SCHEDULE}${name}`, value])) };
}

function changer(base: Parts | null, theirs: Parts, yours: Parts, name: string): Difference['changedBy'] {
  if (base === null) return 'unknown';
  if (isSame(base[name], yours[name])) return 'theirs';
  return isSame(base[name], theirs[name]) ? 'yours' : 'both';
}

/** Equal as JSON, whatever the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return (one ?? undefined) === (other ?? undefined);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one as Parts, other as Parts];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isSame(a[name], b[name]));
}
