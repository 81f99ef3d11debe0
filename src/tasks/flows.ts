import { Injectable } from '@nestjs/common';
import { type JobEdge, JobEdgeStore } from '../jobs/job-edge.store.js';
import type { Sql } from '../ports.js';
import { advance } from './advance.js';
import { FlowStore } from './flow.store.js';
import { JobSlots, NOTHING_RELEASED, type Released } from './job-slots.js';
import { Joins } from './joins.js';
import type { TaskRecord } from './task.js';
import { type TaskChange, TaskStore } from './task.store.js';
import { skippedBecauseOf } from './upstream-failure.js';
import { type Judged, UpstreamVerdicts } from './upstream-verdicts.js';

/**
 * Lets tasks go on, or skips them, when what they wait for has ended; in the transaction of that end. A waiting task is judged from
 * the states of its upstreams under its own lock, never from a counter, so nothing can drift and no end can be missed. What is
 * skipped here has ended too: `Consequences` brings it back in the next round, so a failure goes all the way down.
 *
 * If the process dies nothing of the transaction has happened. A wait that nobody looked at (an upstream ended by a node of an
 * earlier version, a job whose next fire was moved by an edit) is found by the sweep within seconds.
 */
@Injectable()
export class Flows {
  constructor(
    private readonly store: TaskStore,
    private readonly flows: FlowStore,
    private readonly edges: JobEdgeStore,
    private readonly verdicts: UpstreamVerdicts,
    private readonly joins: Joins,
    private readonly slots: JobSlots,
  ) {}

  /** `changes`: those that ended a task. Statements do not grow with their number. */
  async release(tx: Sql, changes: readonly TaskChange[], now: number, actor: string): Promise<Released> {
    const ended = changes.map(({ after }) => after);
    const awaited = ended.filter((task) => task.awaited).map(({ id }) => id);
    const ofJobs = ended.filter((task) => isWhole(task) && task.jobId !== null);
    if (awaited.length === 0 && ofJobs.length === 0) return NOTHING_RELEASED;
    const waiting = new Set(await this.flows.waitingForTasks(tx, awaited));
    const edges = await this.edges.downstreamsOf(tx, [...new Set(ofJobs.map(({ jobId }) => jobId as string))]);
    const made: TaskChange[] = [];
    if (edges.length > 0) {
      const fires = ofJobs.filter(({ fireAt }) => fireAt !== null);
      for (const id of await this.waitingForFires(tx, fires)) waiting.add(id);
      await this.begin(tx, ofJobs, edges);
      const joined = await this.joins.join(tx, ofJobs, edges, now);
      made.push(...joined.made);
      for (const id of joined.waiting) waiting.add(id);
    }
    const decided = await this.decide(tx, [...waiting], now, actor);
    return { changes: [...made, ...decided.changes], planned: decided.planned };
  }

  /** Judges these tasks if they still wait; of those that wait no more it drops the wait. */
  async decide(tx: Sql, ids: readonly string[], now: number, actor: string): Promise<Released> {
    if (ids.length === 0) return NOTHING_RELEASED;
    const waiting = (await this.store.lock(tx, ids)).filter(({ state }) => state === 'BLOCKED');
    const judged = await this.verdicts.of(tx, waiting);
    const verdictOf = ({ id }: TaskRecord) => (judged.get(id) as Judged).verdict;
    const outstanding = waiting.filter((task) => verdictOf(task).is === 'outstanding').map(({ id }) => id);
    await this.flows.dropWaits(
      tx,
      ids.filter((id) => !outstanding.includes(id)),
    );
    const decided = waiting.filter((task) => verdictOf(task).is !== 'outstanding');
    const done = decided.filter((task) => verdictOf(task).is === 'done');
    const changes: TaskChange[] = [];
    for (const before of decided) {
      const verdict = verdictOf(before);
      if (verdict.is !== 'failed') continue;
      const after = skippedBecauseOf(before, verdict, now);
      if (after) changes.push({ before, after: { ...after, flowId: flowOf(before, judged) } });
    }
    for (const before of done.filter(({ jobId }) => jobId === null)) {
      const after = advance(before, before.dueAt > now ? 'unblocked_early' : 'unblocked', { at: now, actor });
      if (after) changes.push({ before, after });
    }
    await this.store.save(tx, changes);
    await this.joinFlows(tx, decided, judged);
    const jobIds = [...new Set(done.flatMap(({ jobId }) => jobId ?? []))];
    const turns = jobIds.length > 0 ? await this.slots.pass(tx, jobIds, now, actor) : NOTHING_RELEASED;
    return { changes: [...changes, ...turns.changes], planned: turns.planned };
  }

  /** The same for what waits for these jobs' fires, once they have fired. */
  async reviewFires(
    tx: Sql,
    fires: readonly { jobId: string; fireAt: number }[],
    also: readonly string[],
    now: number,
    actor: string,
  ): Promise<Released> {
    const waiting = await this.waitingForFires(tx, fires);
    return this.decide(tx, [...new Set([...also, ...waiting])], now, actor);
  }

  /** A flow begins with the first task of a job that others wait for; only at its end is that written down. */
  private async begin(tx: Sql, ended: readonly TaskRecord[], edges: readonly JobEdge[]): Promise<void> {
    const above = new Set(edges.map(({ upstreamId }) => upstreamId));
    const roots = ended.filter(({ flowId, jobId }) => flowId === null && above.has(jobId as string));
    await this.flows.setFlow(
      tx,
      roots.map(({ id, jobId }) => ({ flowId: id, taskId: id, jobId, joinJobId: null })),
    );
  }

  private async waitingForFires(tx: Sql, fires: readonly Pick<TaskRecord, 'jobId' | 'fireAt'>[]): Promise<string[]> {
    if (fires.length === 0) return [];
    const since = fires.reduce((least, { fireAt }) => Math.min(least, fireAt as number), Number.POSITIVE_INFINITY);
    return this.flows.waitingForJobs(tx, [...new Set(fires.map(({ jobId }) => jobId as string))], since);
  }

  /** A fire that waited joins the flow of what it waited for, so that joins below see both in one flow. */
  private async joinFlows(tx: Sql, tasks: readonly TaskRecord[], judged: ReadonlyMap<string, Judged>): Promise<void> {
    const joining = tasks.flatMap((task) => {
      const flowId = task.flowId === null ? flowOf(task, judged) : null;
      return flowId === null ? [] : [{ flowId, taskId: task.id, jobId: task.jobId, joinJobId: null }];
    });
    await this.flows.setFlow(tx, joining);
  }
}

const flowOf = ({ id, flowId }: TaskRecord, judged: ReadonlyMap<string, Judged>): string | null =>
  flowId ?? judged.get(id)?.flowId ?? null;

/** A shard is no task of its own to jobs that wait: its parent is. Only a submission may name it. */
const isWhole = ({ shardIndex }: TaskRecord): boolean => shardIndex === null || shardIndex < 0;
