import type { Job } from '../../src/jobs/job.js';
import { JobWorld, type StatedJob } from './job-world.js';
import type { FreshDatabase } from './services.js';
import { APP } from './task-world.js';

/** Flows step by step: jobs by name, each with its upstreams, and tasks that end as the test says. */
export class FlowWorld {
  private constructor(readonly w: JobWorld) {}

  static async create(database: FreshDatabase): Promise<FlowWorld> {
    return new FlowWorld(await JobWorld.create(database));
  }

  /** A job by hand, and one of the kind `upstream` for each further entry: `{b: ['a'], c: ['a', 'b']}`. */
  async graph(
    roots: readonly string[],
    joins: Record<string, string[]>,
    more: Partial<StatedJob> = {},
  ): Promise<Record<string, Job>> {
    const jobs: Record<string, Job> = {};
    for (const name of roots) jobs[name] = await this.w.job({ schedule: { kind: 'manual' }, ...more });
    for (const [name, upstreams] of Object.entries(joins)) {
      const ids = upstreams.map((upstream) => (jobs[upstream] as Job).id);
      jobs[name] = await this.w.job({ schedule: { kind: 'upstream' }, upstreams: ids, ...more });
    }
    return jobs;
  }

  /** Runs the job now; the id of its task. */
  async start(job: Job | undefined): Promise<string> {
    const request = { params: null, force: false, clientRequestId: null, fingerprint: null, actor: 'app:test' };
    const outcome = await this.w.runs.run(APP, (job as Job).id, request);
    if (outcome.outcome !== 'accepted') throw new Error(outcome.outcome);
    return outcome.taskId;
  }

  /** Ends the newest task of the job. */
  async end(job: Job | undefined, outcome: 'succeeded' | 'failed' = 'succeeded'): Promise<void> {
    const tasks = await this.w.tasksOf((job as Job).id);
    const task = tasks.filter(({ state }) => state === 'PENDING').at(-1);
    if (!task) throw new Error(`nothing of ${job?.key} is pending: ${tasks.map(({ state }) => state)}`);
    await this.w.run(task.id, outcome);
  }

  /** What became of each job's tasks: `{a: 'SUCCEEDED', b: 'PENDING'}`; empty for none. */
  async states(jobs: Record<string, Job>): Promise<Record<string, string>> {
    const entries = await Promise.all(
      Object.entries(jobs).map(async ([name, job]) => [name, (await this.w.statesOf(job.id)).join(', ')] as const),
    );
    return Object.fromEntries(entries);
  }

  state = async (id: string): Promise<string> => {
    const { state, reason } = await this.w.world.find(id);
    return reason && state === 'SKIPPED' ? `${state} ${reason}` : state;
  };
}
