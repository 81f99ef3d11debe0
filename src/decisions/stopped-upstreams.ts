import type { JobStateName } from '@evenkeel/sdk/contract';
import { type GraphJob, isTimed } from './job-warnings.js';

export type StandingJob = GraphJob & { state: JobStateName };

/**
 * The paused and disabled jobs because of which this one does not run as its dependencies say, nearest first. `graph` holds every job
 * above it. A job that fires after its upstreams needs all above it to fire, up to those with fires of their own; one with fires of its
 * own waits for those of its upstreams that have fire times, and for a stopped one it does not. Who is run by hand is run while paused too.
 */
export function stoppedUpstreams({ kind, upstreams }: GraphJob, graph: ReadonlyMap<string, StandingJob>): string[] {
  const found = new Set(kind === 'upstream' ? upstreams : upstreams.filter((id) => isTimed(graph.get(id)?.kind)));
  if (kind === 'upstream')
    for (const id of found)
      if (graph.get(id)?.kind === 'upstream') for (const above of graph.get(id)?.upstreams ?? []) found.add(above);
  return [...found].filter((id) => {
    const job = graph.get(id);
    return job !== undefined && job.state !== 'active' && job.kind !== 'manual';
  });
}
