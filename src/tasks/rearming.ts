import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { JobEdgeStore } from '../jobs/job-edge.store.js';
import type { Sql } from '../ports.js';
import { advance } from './advance.js';
import { FlowStore } from './flow.store.js';
import { JobTaskStore } from './job-task.store.js';
import type { TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import { UpstreamVerdicts } from './upstream-verdicts.js';

/**
 * Lets tasks wait again that were skipped because of a task that is now being retried, all the way down, in the transaction of the
 * retry. A task with another upstream that failed and is not being retried stays skipped: it waits for the retry of that one.
 */
@Injectable()
export class Rearming {
  constructor(
    private readonly store: TaskStore,
    private readonly flows: FlowStore,
    private readonly edges: JobEdgeStore,
    private readonly jobTasks: JobTaskStore,
    private readonly verdicts: UpstreamVerdicts,
  ) {}

  /** `retried` as they are now, no longer ended. Round by round, so a deep graph needs no recursion. */
  async below(
    tx: Sql,
    retried: readonly TaskRecord[],
    step: { at: number; actor: string; reason?: ReasonCode },
  ): Promise<TaskChange[]> {
    const all: TaskChange[] = [];
    for (let round = [...retried]; round.length > 0; ) {
      const skipped = (await this.store.lock(tx, await this.dependantsOf(tx, round))).filter(
        ({ state, reason }) => state === 'SKIPPED' && reason === 'upstream_failed',
      );
      const judged = await this.verdicts.of(tx, skipped);
      const changes = skipped.flatMap((before): TaskChange[] => {
        if (judged.get(before.id)?.verdict.is === 'failed') return [];
        const after = advance(before, 'rearmed', step);
        return after ? [{ before, after: { ...after, endedAt: null, result: null } }] : [];
      });
      await this.store.save(tx, changes);
      const rearmed = changes.map(({ after }) => after);
      // An earlier wait, and an earlier place, that a node of an earlier version, a cancel or an attempt that did not stop has left.
      await this.flows.dropWaits(
        tx,
        rearmed.map(({ id }) => id),
      );
      await this.flows.addWaits(tx, rearmed);
      await this.jobTasks.renewSlots(
        tx,
        rearmed.flatMap(({ id, jobId, partition }) => (jobId === null ? [] : [{ taskId: id, jobId, partition }])),
      );
      all.push(...changes);
      round = rearmed;
    }
    return all;
  }

  private async dependantsOf(tx: Sql, tasks: readonly TaskRecord[]): Promise<string[]> {
    const found = new Set(
      await this.flows.dependantsOfTasks(
        tx,
        tasks.filter(({ awaited }) => awaited).map(({ id }) => id),
      ),
    );
    const ofJobs = tasks.filter(({ jobId }) => jobId !== null);
    const jobIds = [...new Set(ofJobs.map(({ jobId }) => jobId as string))];
    const downstream = (await this.edges.downstreamsOf(tx, jobIds)).map(({ downstreamId }) => downstreamId);
    const flowIds = [...new Set(ofJobs.map((task) => task.flowId ?? task.id))];
    for (const { joinJobId, taskId } of await this.flows.members(tx, flowIds, [...new Set(downstream)]))
      if (joinJobId !== null) found.add(taskId);
    const fires = ofJobs.flatMap(({ jobId, fireAt }) => (jobId !== null && fireAt !== null ? [{ jobId, fireAt }] : []));
    for (const id of await this.flows.dependantsOfFires(tx, fires)) found.add(id);
    return [...found];
  }
}
