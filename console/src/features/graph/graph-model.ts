import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';

export type GraphJob = JobGraph['nodes'][number];
export type GraphEdge = JobGraph['edges'][number];
export interface Neighbours {
  up: ReadonlyMap<string, string[]>;
  down: ReadonlyMap<string, string[]>;
}
/** More than that is a wall, not a picture: groups are drawn instead of their jobs. */
const MOST_DRAWN = 200;
const LATE_MS = 5_000;

export const isLate = ({ state, nextFireAt }: GraphJob, now = Date.now()): boolean =>
  state === 'active' && nextFireAt !== null && Date.parse(nextFireAt) < now - LATE_MS;

/** What an edge demands is decided by the job that waits: with a schedule of its own it waits for fires of its period. */
export const conditionOf = (waiting: GraphJob | undefined): 'success' | 'successOfPeriod' =>
  waiting === undefined || waiting.kind === 'upstream' ? 'success' : 'successOfPeriod';

export function neighboursOf(edges: readonly GraphEdge[]): Neighbours {
  const up = new Map<string, string[]>();
  const down = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, value: string) => to.set(key, [...(to.get(key) ?? []), value]);
  for (const { from, to } of edges) {
    add(down, from, to);
    add(up, to, from);
  }
  return { up, down };
}

/** The job and every job that waits for it, directly or through others: what stops when it stops. Nearest first. */
export function chainFrom(id: string, { down }: Neighbours): string[] {
  const chain = new Set([id]);
  for (const each of chain) for (const next of down.get(each) ?? []) chain.add(next);
  return [...chain];
}

/** The newest task of each job among those of one flow. */
export function flowByJob(tasks: readonly TaskSummary[]): ReadonlyMap<string, TaskSummary> {
  const newest = new Map<string, TaskSummary>();
  for (const task of tasks) {
    const known = task.job && newest.get(task.job.id);
    if (task.job && (!known || known.id < task.id)) newest.set(task.job.id, task);
  }
  return newest;
}

/** Groups as nodes and their edges, once each; null while the jobs themselves can be drawn. */
export function clustersOf({ nodes, edges }: JobGraph): { groups: { key: string; jobs: number }[]; edges: GraphEdge[] } | null {
  const counts = new Map<string, number>();
  for (const { group } of nodes) counts.set(group, (counts.get(group) ?? 0) + 1);
  if (nodes.length <= MOST_DRAWN || counts.size < 2) return null;
  const groupOf = new Map(nodes.map(({ id, group }) => [id, group]));
  const between = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const [from, to] = [groupOf.get(edge.from) ?? '', groupOf.get(edge.to) ?? ''];
    if (from !== to) between.set(`${from} ${to}`, { from, to });
  }
  return { groups: [...counts].map(([key, jobs]) => ({ key, jobs })), edges: [...between.values()] };
}

/** One edge of the graph, or a job that waits for nothing. */
export interface TreeRow {
  job: GraphJob;
  level: number;
  /** Id of the job it stands below. */
  under: string | null;
  /** What waits for it stands where it was told first. */
  again: boolean;
}

/** Every edge as a job below one it waits for, and before them what waits for nothing; what follows a job is told once. Not recursive. */
export function treeOf({ nodes, edges }: JobGraph): TreeRow[] {
  const { up, down } = neighboursOf(edges);
  const jobs = new Map(nodes.map((job) => [job.id, job]));
  const name = (id: string) => jobs.get(id)?.key ?? '';
  const byName = (ids: readonly string[]) => [...ids].sort((a, b) => (name(a) < name(b) ? 1 : -1));
  const open: { id: string; level: number; under: string | null }[] = byName(
    nodes.filter(({ id }) => !up.has(id)).map(({ id }) => id),
  ).map((id) => ({ id, level: 0, under: null }));
  const rows: TreeRow[] = [];
  const told = new Set<string>();
  for (let next = open.pop(); next; next = open.pop()) {
    const { id, level, under } = next;
    const job = jobs.get(id);
    if (!job) continue;
    rows.push({ job, level, under, again: told.has(id) });
    if (told.has(id)) continue;
    told.add(id);
    for (const below of byName(down.get(id) ?? [])) open.push({ id: below, level: level + 1, under: id });
  }
  return rows;
}
