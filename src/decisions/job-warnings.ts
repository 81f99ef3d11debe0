import type { JobSchedule, JobWarning } from '@evenkeel/sdk/contract';

/** A job as far as it matters to who shares a flow with whom. */
export interface GraphJob {
  kind: JobSchedule['kind'];
  upstreams: readonly string[];
}
export type JobGraph = ReadonlyMap<string, GraphJob>;

/** The kinds whose tasks have a fire time: only these can lie in the period of another job. */
const TIMED: readonly unknown[] = ['cron', 'every', 'after', 'once'];
export const isTimed = (kind: JobSchedule['kind'] | undefined): boolean => TIMED.includes(kind);
const NONE: ReadonlySet<string> = new Set();

/**
 * What a job's dependencies cannot bring about, whatever runs: a join whose upstreams never have a task in the same flow never fires,
 * and a fire waits for nothing of a job whose tasks have no fire time. `graph` holds every job above it. A stopped job is no matter
 * here, since it may be resumed: `stoppedUpstreams` tells of those.
 */
export function jobWarnings({ kind, upstreams }: GraphJob, graph: JobGraph): JobWarning[] {
  if (upstreams.length === 0) return [];
  if (kind === 'upstream') {
    const flows = flowsOf(upstreams, graph);
    return common(upstreams, flows).size > 0 ? [] : [noCommonFlow(upstreams, flows)];
  }
  const jobs = upstreams.filter((id) => graph.has(id) && !isTimed(graph.get(id)?.kind));
  const message = 'these upstreams have no fire times (event, upstream, manual), so its fires never wait for them';
  return jobs.length > 0 ? [{ code: 'never_awaited', message, jobs }] : [];
}

function noCommonFlow(upstreams: readonly string[], flows: ReadonlyMap<string, ReadonlySet<string>>): JobWarning {
  const silent = upstreams.filter((id) => flows.get(id)?.size === 0);
  if (silent.length > 0) {
    const message =
      'it never fires by itself: these upstreams never do, for their own upstreams never have tasks in the same flow';
    return { code: 'no_common_flow', message, jobs: silent };
  }
  const message =
    'it never fires by itself: its upstreams never all have a task in the same flow, since each fire of a job without upstreams begins a flow ' +
    'of its own. Let one of them wait for the others, or give this job the kind cron or every, to wait for what they fire in its period';
  return { code: 'no_common_flow', message, jobs: [...upstreams] };
}

/**
 * Of each job at and above these: the jobs whose tasks may begin a flow it has a task in. A join is in the flows that all its upstreams
 * share; a fire that waited joins the flow of the latest it waited for, or begins one if nothing fired in its period; anything else begins one.
 */
function flowsOf(ids: readonly string[], graph: JobGraph): Map<string, ReadonlySet<string>> {
  const flows = new Map<string, ReadonlySet<string>>();
  for (const id of upstreamsFirst(ids, graph)) {
    const { kind, upstreams } = graph.get(id) as GraphJob;
    if (kind === 'upstream') flows.set(id, common(upstreams, flows));
    else {
      const joined = upstreams.filter((upstream) => isTimed(graph.get(upstream)?.kind));
      flows.set(id, new Set([id, ...joined.flatMap((upstream) => [...(flows.get(upstream) ?? [])])]));
    }
  }
  return flows;
}

function common(ids: readonly string[], flows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const [first = NONE, ...others] = ids.map((id) => flows.get(id) ?? NONE);
  return new Set([...first].filter((flow) => others.every((other) => other.has(flow))));
}

/** Every job at and above these, each after all it waits for; without recursion, so a thousand in a row are no trouble. */
function upstreamsFirst(ids: readonly string[], graph: JobGraph): string[] {
  const ordered = new Set<string>();
  const entered = new Set<string>();
  const open = [...ids];
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const waits = graph.get(id)?.upstreams.filter((upstream) => graph.has(upstream) && !entered.has(upstream)) ?? [];
    if (!entered.has(id) && graph.has(id)) {
      entered.add(id);
      open.push(...waits);
      continue;
    }
    open.pop();
    if (graph.has(id)) ordered.add(id);
  }
  return [...ordered];
}
