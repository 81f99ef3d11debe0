import { LIMITS } from '@evenkeel/sdk/contract';
import type { CheckedJob } from './check-configuration.js';
import { differences, type ExportedJob, type ImportItem, type OnConflict, upstreamName } from './configuration-file.js';
import { definitionView } from './stated-job.js';

/** A job of a file as it is to be written: under its own key, or under a free one beside the job that has it. */
export interface NamedJob extends CheckedJob {
  /** Its key in the file if it is written under another one. */
  renamedFrom: string | null;
}
export type Existing = (place: { group: string; key: string }) => ExportedJob | undefined;

export const unrenamed = (job: CheckedJob): NamedJob => ({ ...job, renamedFrom: null });

/** What becomes of one job. Pure. */
export function planJob(stated: NamedJob, existing: ExportedJob | undefined, onConflict: OnConflict): ImportItem {
  const { group, key, renamedFrom } = stated;
  const names = { type: 'job' as const, group, key, renamedFrom };
  const upstreams = [...new Set(stated.upstreams.map((upstream) => upstreamName(group, upstream)))].sort();
  const { upstreams: _, ...definition } = definitionView(stated.definition);
  const after = { group, key, ...definition, ...(upstreams.length > 0 ? { upstreams } : {}) };
  if (!existing) return { ...names, action: 'create', diff: differences({}, after) };
  return { ...names, ...actionOf(differences(existing, after), onConflict) };
}

/** What becomes of what is there already. */
export function actionOf(diff: ImportItem['diff'], onConflict: OnConflict): Pick<ImportItem, 'action' | 'diff'> {
  if (diff.length === 0) return { action: 'unchanged', diff };
  return { action: onConflict === 'overwrite' ? 'update' : 'conflict', diff };
}

/**
 * Gives every job that would overwrite another one a key of its own: `key-2`, `key-3` and so on. What in the file waits for it follows
 * it, and is thereby another job than the one that waits for the old one. A key under which the same job stands already is taken
 * again, so that importing a file twice makes nothing twice. Pure.
 */
export function renameConflicts(jobs: readonly CheckedJob[], existing: Existing): NamedJob[] {
  const named = jobs.map(unrenamed);
  const taken = new Set(jobs.map(placeOf));
  const waiting = new Map<string, number[]>();
  for (const [i, { upstreams }] of jobs.entries())
    for (const upstream of upstreams) waiting.set(placeOf(upstream), [...(waiting.get(placeOf(upstream)) ?? []), i]);
  const differs = (job: NamedJob) => planJob(job, existing(job), 'skip').action === 'conflict';
  const open = [...named.keys()].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const job = named[at] as NamedJob;
    if (!differs(job)) continue;
    const fresh = freely(job, (candidate) => !taken.has(placeOf(candidate)) && !differs(candidate));
    named[at] = fresh;
    taken.add(placeOf(fresh));
    const followers = waiting.get(placeOf(job)) ?? [];
    waiting.set(placeOf(fresh), followers);
    for (const i of followers) named[i] = following(named[i] as NamedJob, job, fresh);
    open.push(...followers);
  }
  return named;
}

const placeOf = ({ group, key }: { group: string; key: string }): string => `${group}/${key}`;

/** The job under the first key that may be used. */
function freely(job: NamedJob, usable: (candidate: NamedJob) => boolean): NamedJob {
  const renamedFrom = job.renamedFrom ?? job.key;
  for (let n = 2; ; n++) {
    const suffix = `-${n}`;
    const candidate = { ...job, key: `${renamedFrom.slice(0, LIMITS.groupKeyLength - suffix.length)}${suffix}`, renamedFrom };
    if (usable(candidate)) return candidate;
  }
}

const following = (job: NamedJob, old: NamedJob, fresh: NamedJob): NamedJob => ({
  ...job,
  upstreams: job.upstreams.map((upstream) =>
    placeOf(upstream) === placeOf(old) ? { group: fresh.group, key: fresh.key } : upstream,
  ),
});
