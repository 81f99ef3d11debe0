import { Injectable } from '@nestjs/common';
import { JobEdgeStore } from '../../jobs/job-edge.store.js';
import { SqlDialect } from '../../ports.js';
import { FlowStore } from '../../tasks/flow.store.js';
import type { TaskRecord } from '../../tasks/task.js';
import { UpstreamVerdicts } from '../../tasks/upstream-verdicts.js';

export const MOST_LINKS = 200;

/** Which tasks a task waits or waited for, and which wait or waited for it: of submitted tasks, of fires and of flows. */
@Injectable()
export class TaskLinksService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly verdicts: UpstreamVerdicts,
    private readonly flows: FlowStore,
    private readonly edges: JobEdgeStore,
  ) {}

  /** Ids, at most 200. */
  async upstreams(task: TaskRecord): Promise<string[]> {
    const facts = await this.verdicts.facts(this.dialect.root, [task]);
    return [...new Set(facts.flatMap(({ upstream }) => upstream?.id ?? []))].slice(0, MOST_LINKS);
  }

  /** Ids, at most 200. */
  async downstreams({ id, jobId, fireAt, flowId }: TaskRecord): Promise<string[]> {
    const { root } = this.dialect;
    const found = await this.flows.dependantsOfTasks(root, [id]);
    if (jobId !== null && fireAt !== null) found.push(...(await this.flows.dependantsOfFires(root, [{ jobId, fireAt }])));
    if (jobId !== null) {
      const joining = (await this.edges.downstreamsOf(root, [jobId])).filter(({ kind }) => kind === 'upstream');
      const members = await this.flows.members(
        root,
        [flowId ?? id],
        joining.map(({ downstreamId }) => downstreamId),
      );
      found.push(...members.map(({ taskId }) => taskId));
    }
    return [...new Set(found)].filter((other) => other !== id).slice(0, MOST_LINKS);
  }
}
