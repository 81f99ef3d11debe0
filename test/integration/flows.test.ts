import type { Sql } from '../../src/ports.js';
import type { NewTask, TaskRecord } from '../../src/tasks/task.js';
import { FlowWorld } from '../support/flow-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const ONCE = { policies: { priority: 5, timeoutMs: 0, retry: { kind: 'none' as const } } };
const NO_RETRY = { options: { retry: { kind: 'none' as const } } };

describe.each(ADAPTERS)('flows (%s)', (adapter) => {
  let database: FreshDatabase;
  let f: FlowWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    f = await FlowWorld.create(database);
  });
  afterAll(() => database?.drop());

  const submit = (more: Partial<NewTask> = {}) => f.w.world.submit({ ...NO_RETRY, ...more });
  const retry = (id: string, appId: number | null = APP) => f.w.world.tasks.retry(appId, id, 'app:test');
  const outcomeOf = async (more: Partial<NewTask>) => (await f.w.world.tasks.submit([f.w.world.newTask(more)]))[0];

  describe('of jobs', () => {
    it('a chain runs in order, as one flow that bears the id of its first task', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['b'] }, ONCE);
      const root = await f.start(jobs.a);
      expect(await f.states(jobs)).toEqual({ a: 'PENDING', b: '', c: '' });
      await f.end(jobs.a);
      expect(await f.states(jobs)).toEqual({ a: 'SUCCEEDED', b: 'PENDING', c: '' });
      await f.end(jobs.b);
      await f.end(jobs.c);
      const flow = await f.w.world.tasks.list({ appId: APP, flowId: root, limit: 10 });
      expect(flow.map(({ jobId, flowId }) => [jobId, flowId])).toEqual([jobs.c, jobs.b, jobs.a].map((job) => [job?.id, root]));
    });

    it('a diamond joins once, whichever arm is last', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['a'], d: ['b', 'c'] }, ONCE);
      for (const order of [
        ['b', 'c'],
        ['c', 'b'],
      ]) {
        await f.start(jobs.a);
        await f.end(jobs.a);
        await f.end(jobs[order[0] as string]);
        const before = (await f.w.tasksOf(jobs.d?.id as string)).length;
        await f.end(jobs[order[1] as string]);
        expect(await f.w.tasksOf(jobs.d?.id as string)).toHaveLength(before + 1);
        await f.end(jobs.d);
      }
      expect((await f.states(jobs)).d).toBe('SUCCEEDED, SUCCEEDED');
    });

    it('two flows of one graph do not mix', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['a'], d: ['b', 'c'] }, ONCE);
      const [first, second] = [await f.start(jobs.a), await f.start(jobs.a)];
      await f.w.run(first);
      await f.w.run(second);
      const [b1, b2] = (await f.w.tasksOf(jobs.b?.id as string)).map(({ id, flowId }) => ({ id, flowId }));
      const c = await f.w.tasksOf(jobs.c?.id as string);
      await f.w.run(b1?.id as string);
      await f.w.run(c.find(({ flowId }) => flowId === b2?.flowId)?.id as string);
      expect((await f.states(jobs)).d).toBe('');
      await f.w.run(b2?.id as string);
      expect((await f.w.tasksOf(jobs.d?.id as string)).map(({ flowId }) => flowId)).toEqual([b2?.flowId]);
    });

    it('twenty arms that end at the same moment are joined exactly once', async () => {
      const arms = Array.from({ length: 20 }, (_, i) => `arm${i}`);
      const jobs = await f.graph(['a'], { ...Object.fromEntries(arms.map((arm) => [arm, ['a']])), join: arms }, ONCE);
      for (let round = 0; round < 3; round++) {
        await f.start(jobs.a);
        await f.end(jobs.a);
        await Promise.all(arms.map((arm) => f.end(jobs[arm])));
        expect(await f.w.tasksOf(jobs.join?.id as string)).toHaveLength(round + 1);
        await f.end(jobs.join);
      }
    });

    it('a failure skips everything below, each naming what failed; the retry lets all of it run', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['a'], d: ['b', 'c'], e: ['d'] }, ONCE);
      await f.start(jobs.a);
      await f.end(jobs.a);
      await f.end(jobs.b, 'failed');
      const skipped = 'SKIPPED upstream_failed';
      expect(await f.states(jobs)).toEqual({ a: 'SUCCEEDED', b: 'FAILED', c: 'PENDING', d: skipped, e: skipped });
      const [b] = await f.w.tasksOf(jobs.b?.id as string);
      const [d] = await f.w.tasksOf(jobs.d?.id as string);
      const [e] = await f.w.tasksOf(jobs.e?.id as string);
      expect(JSON.parse(d?.result as string)).toEqual({ upstream: b?.id, status: 'FAILED' });
      expect(JSON.parse(e?.result as string)).toEqual({ upstream: d?.id, status: 'SKIPPED' });
      expect(d?.timeline).toContain(`task:${b?.id}`);
      expect(await retry(b?.id as string)).toMatchObject({ outcome: 'retried', task: { state: 'PENDING', attempt: 2 } });
      expect(await f.states(jobs)).toEqual({ a: 'SUCCEEDED', b: 'PENDING', c: 'PENDING', d: 'BLOCKED', e: 'BLOCKED' });
      await f.end(jobs.b);
      expect((await f.states(jobs)).d).toBe('BLOCKED');
      await f.end(jobs.c);
      await f.end(jobs.d);
      await f.end(jobs.e);
      expect(new Set(Object.values(await f.states(jobs)))).toEqual(new Set(['SUCCEEDED']));
    });

    it('has one place of its job when it waits again, also if an attempt that did not stop has kept one', async () => {
      const jobs = await f.graph(['a'], { b: ['a'] }, ONCE);
      await f.start(jobs.a);
      await f.end(jobs.a, 'failed');
      const [a] = await f.w.tasksOf(jobs.a?.id as string);
      const [b] = await f.w.tasksOf(jobs.b?.id as string);
      const { root } = f.w.backends.dialect;
      const { id, jobId, partition, groupId } = b as TaskRecord;
      await root.run('INSERT INTO job_slots (job_id, task_id, partition_no) VALUES (?, ?, ?)', [jobId, id, partition]);
      const attempt = { id, parentId: null, groupId, partition, lease: 1, workerId: 'w1', workerIncarnation: 'I1' };
      await f.w.world.unstopped.add(root, [attempt as TaskRecord], 1);
      expect(await retry(a?.id as string)).toMatchObject({ outcome: 'retried' });
      expect(await f.states(jobs)).toEqual({ a: 'PENDING', b: 'BLOCKED' });
      expect(await root.rows('SELECT job_id FROM job_slots WHERE task_id = ?', [id])).toEqual([{ job_id: jobId }]);
    });

    it('with two failures below one join, only the retry of both lets it run', async () => {
      const jobs = await f.graph(['a'], { b: ['a'], c: ['a'], d: ['b', 'c'] }, ONCE);
      await f.start(jobs.a);
      await f.end(jobs.a);
      await f.end(jobs.b, 'failed');
      await f.end(jobs.c, 'failed');
      const [b] = await f.w.tasksOf(jobs.b?.id as string);
      const [c] = await f.w.tasksOf(jobs.c?.id as string);
      await retry(b?.id as string);
      expect((await f.states(jobs)).d).toBe('SKIPPED upstream_failed');
      await retry(c?.id as string);
      expect((await f.states(jobs)).d).toBe('BLOCKED');
      await f.end(jobs.c, 'failed');
      expect((await f.states(jobs)).d).toBe('SKIPPED upstream_failed');
      await f.end(jobs.b);
      await retry(c?.id as string);
      await f.end(jobs.c);
      await f.end(jobs.d);
    });

    it('a join whose earlier task is going obeys its overlap rule', async () => {
      const jobs = await f.graph(['a'], { b: ['a'] }, { ...ONCE, overlap: 'queue' });
      for (let i = 0; i < 3; i++) {
        await f.start(jobs.a);
        await f.end(jobs.a);
      }
      expect((await f.states(jobs)).b).toBe('PENDING, BLOCKED, BLOCKED');
      await f.end(jobs.b);
      expect((await f.states(jobs)).b).toBe('SUCCEEDED, PENDING, BLOCKED');
    });

    it('fifty jobs in ten layers end with few statements, and a failure at the top skips all of them in one transaction', async () => {
      const joins: Record<string, string[]> = {};
      for (let layer = 1; layer < 10; layer++)
        for (let i = 0; i < 5; i++)
          joins[`n${layer}_${i}`] = layer === 1 ? ['top'] : Array.from({ length: 5 }, (_, j) => `n${layer - 1}_${j}`);
      const jobs = await f.graph(['top'], joins, ONCE);
      const task = await f.start(jobs.top);
      const { dialect } = f.w.backends;
      let statements = 0;
      const counting = (tx: Sql): Sql =>
        new Proxy(tx, {
          get: (target, name) => {
            const member = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            return (...args: unknown[]) => {
              statements += 1;
              return member.apply(target, args);
            };
          },
        });
      const transaction = dialect.transaction.bind(dialect);
      const counted = jest.spyOn(dialect, 'transaction').mockImplementation((work) => transaction((tx) => work(counting(tx))));
      await f.w.run(task, 'failed').finally(() => counted.mockRestore());
      const states = Object.values(await f.states(jobs));
      expect(states.filter((state) => state === 'SKIPPED upstream_failed')).toHaveLength(45);
      expect(statements).toBeLessThan(11 * 20);
      await retry(task);
      expect(Object.values(await f.states(jobs)).filter((state) => state === 'BLOCKED')).toHaveLength(45);
      await f.end(jobs.top);
      for (let layer = 1; layer < 10; layer++)
        await Promise.all(Array.from({ length: 5 }, (_, i) => f.end(jobs[`n${layer}_${i}`])));
      expect(new Set(Object.values(await f.states(jobs)))).toEqual(new Set(['SUCCEEDED']));
    }, 120_000);
  });

  describe('of submitted tasks', () => {
    it('a task waits for all it depends on, then for its own time', async () => {
      const [a, b] = [await submit(), await submit()];
      const soon = await submit({ dependsOn: [a, b] });
      const later = await submit({ dependsOn: [a, b], delayMs: 3_600_000 });
      await f.w.run(a);
      expect([await f.state(soon), await f.state(later)]).toEqual(['BLOCKED', 'BLOCKED']);
      await f.w.run(b);
      expect([await f.state(soon), await f.state(later)]).toEqual(['PENDING', 'SCHEDULED']);
      expect((await f.w.world.find(soon)).flowId).toBe(a);
      expect((await f.w.world.find(a)).flowId).toBe(a);
    });

    it('one whose upstreams have succeeded starts at once; one whose upstream has failed is stored as skipped', async () => {
      const [done, failed] = [await submit(), await submit()];
      await f.w.run(done);
      await f.w.run(failed, 'failed');
      expect(await f.state(await submit({ dependsOn: [done] }))).toBe('PENDING');
      const skipped = await submit({ dependsOn: [done, failed] });
      expect(await f.state(skipped)).toBe('SKIPPED upstream_failed');
      const below = await submit({ dependsOn: [skipped] });
      expect(await f.state(below)).toBe('SKIPPED upstream_failed');
      await retry(failed);
      expect([await f.state(skipped), await f.state(below)]).toEqual(['BLOCKED', 'BLOCKED']);
      await f.w.run(failed);
      await f.w.run(skipped);
      await f.w.run(below);
    });

    it('a cancelled upstream skips what waits, and the wait of a cancelled task is forgotten', async () => {
      const a = await submit();
      const b = await submit({ dependsOn: [a] });
      const c = await submit({ dependsOn: [b] });
      const d = await submit({ dependsOn: [a] });
      await f.w.world.tasks.requestCancel(APP, b, 'app:test');
      expect(await f.state(c)).toBe('SKIPPED upstream_failed');
      await f.w.run(a);
      expect([await f.state(b), await f.state(d)]).toEqual(['CANCELLED', 'PENDING']);
      await retry(b);
      expect([await f.state(b), await f.state(c)]).toEqual(['PENDING', 'BLOCKED']);
    });

    it('one that was cancelled while it waited waits again when it is retried', async () => {
      const a = await submit();
      const b = await submit({ dependsOn: [a] });
      await f.w.world.tasks.requestCancel(APP, b, 'app:test');
      await retry(b);
      expect(await f.state(b)).toBe('BLOCKED');
      await f.w.run(a, 'failed');
      expect(await f.state(b)).toBe('SKIPPED upstream_failed');
      await f.w.world.tasks.requestCancel(APP, b, 'app:test');
      await retry(a);
      await f.w.run(a);
      expect(await f.state(b)).toBe('PENDING');
    });

    it('one with shards that was skipped is still to be divided when it is armed again', async () => {
      const a = await submit();
      await f.w.run(a, 'failed');
      const b = await submit({ dependsOn: [a], shards: 2 });
      expect(await f.state(b)).toBe('SKIPPED upstream_failed');
      await retry(a);
      await f.w.run(a);
      expect(await f.w.world.find(b)).toMatchObject({ state: 'PENDING', shardTotal: 2 });
    });

    it('refuses what is no task of the app, naming the places', async () => {
      const a = await submit();
      const other = await submit({ appId: 2 });
      expect(await outcomeOf({ dependsOn: [a, other, 'task_00000000000000000000000000'] })).toEqual({
        outcome: 'unknown_upstreams',
        places: [1, 2],
      });
    });

    it('is replayed with the receipt it was first answered with', async () => {
      const a = await submit();
      const request = { dependsOn: [a], clientRequestId: 'r-1', fingerprint: 'f' };
      const first = await outcomeOf(request);
      await f.w.run(a);
      expect(await outcomeOf(request)).toEqual({ ...first, outcome: 'replayed' });
      expect(await outcomeOf({ ...request, fingerprint: 'g' })).toMatchObject({ outcome: 'reused' });
      const both = await f.w.world.tasks.submit([1, 2].map(() => f.w.world.newTask({ ...request, clientRequestId: 'r-2' })));
      expect(both.map((each) => each.outcome)).toEqual(['accepted', 'replayed']);
    });

    it('is never left behind when it is submitted while its upstream ends', async () => {
      for (let round = 0; round < 40; round++) {
        const a = await submit();
        const lease = await f.w.world.claim(a);
        const [, ...ids] = await Promise.all([
          f.w.end(a, lease, round % 4 === 3 ? 'failed' : 'succeeded'),
          ...Array.from({ length: 3 }, () => submit({ dependsOn: [a] })),
        ]);
        const expected = round % 4 === 3 ? 'SKIPPED upstream_failed' : 'PENDING';
        expect(await Promise.all(ids.map(f.state))).toEqual([expected, expected, expected]);
      }
    }, 60_000);

    it('is never left behind when its upstreams end together, or one is cancelled meanwhile', async () => {
      for (let round = 0; round < 20; round++) {
        const ups = await Promise.all([1, 2, 3, 4].map(() => submit()));
        const leases = await Promise.all(ups.map((id) => f.w.world.claim(id)));
        const down = await submit({ dependsOn: ups });
        await Promise.all(ups.map((id, i) => f.w.end(id, leases[i] as number)));
        expect(await f.state(down)).toBe('PENDING');
        const [pending, next] = [await submit(), await submit()];
        const [, below] = await Promise.all([
          f.w.world.tasks.requestCancel(APP, pending, 'app:test'),
          submit({ dependsOn: [pending, next] }),
        ]);
        expect(await f.state(below)).toBe('SKIPPED upstream_failed');
      }
    }, 60_000);
  });

  describe('a retry', () => {
    it('is refused unless the task ended without success, and for another app there is no such task', async () => {
      const a = await submit();
      expect(await retry(a)).toEqual({ outcome: 'not_retryable', state: 'PENDING' });
      expect(await retry(a, 2)).toEqual({ outcome: 'not_found' });
      await f.w.run(a);
      expect(await retry(a)).toEqual({ outcome: 'not_retryable', state: 'SUCCEEDED' });
      const b = await submit({ dependsOn: [a] });
      await f.w.run(b, 'failed');
      const c = await submit({ dependsOn: [b] });
      expect(await retry(c)).toEqual({ outcome: 'not_retryable', state: 'SKIPPED' });
    });

    it('keeps the attempt before, spends nothing, and says who asked', async () => {
      const a = await submit({ options: { retry: { kind: 'fixed', maxRetries: 1, delayMs: 0 } } });
      await f.w.run(a, 'failed');
      await f.w.backends.dialect.transaction((tx) => f.w.world.lifecycle.promote(tx, [a], 'node:n1'));
      await f.w.run(a, 'failed');
      expect(await f.w.world.find(a)).toMatchObject({ state: 'FAILED', attempt: 2, retries: 1 });
      const { outcome } = await retry(a, null);
      expect(outcome).toBe('retried');
      const task = await f.w.world.find(a);
      expect(task).toMatchObject({
        state: 'PENDING',
        attempt: 3,
        retries: 0,
        crashes: 0,
        reason: 'retried_by_operator',
        error: null,
      });
      expect((await f.w.world.tasks.attemptsOf(a)).map(({ attempt, outcome: end }) => [attempt, end])).toEqual([
        [1, 'failed'],
        [2, 'failed'],
      ]);
      await f.w.run(a);
      expect(await f.state(a)).toBe('SUCCEEDED');
    });

    it('of a task that was cancelled before it ran is its first attempt', async () => {
      const a = await submit();
      await f.w.world.tasks.requestCancel(APP, a, 'app:test');
      await retry(a);
      expect(await f.w.world.find(a)).toMatchObject({ state: 'PENDING', attempt: 1, cancelAskedAt: null });
    });

    it.each(['skip', 'queue', 'allow'] as const)('waits while another task of its job has the turn (%s)', async (overlap) => {
      const { a } = await f.graph(['a'], {}, { ...ONCE, overlap, maxParallel: 1 });
      const first = await f.start(a);
      await f.w.run(first, 'failed');
      const second = await f.start(a);
      await retry(first);
      expect([await f.state(first), await f.state(second)]).toEqual(['BLOCKED', 'PENDING']);
      await f.w.run(second);
      expect(await f.state(first)).toBe('PENDING');
    });

    it('of ten at once is one', async () => {
      const a = await submit();
      await f.w.run(a, 'failed');
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => retry(a)));
      expect(outcomes.filter(({ outcome }) => outcome === 'retried')).toHaveLength(1);
      expect(await f.w.world.find(a)).toMatchObject({ state: 'PENDING', attempt: 2 });
    });

    it('never moves the next fire of a job that runs after its end', async () => {
      const job = await f.w.job({ ...ONCE, schedule: { kind: 'after', delayMs: 60_000 } });
      f.w.clock.pass((job.nextFireAt as number) - f.w.clock.now());
      await f.w.fire(job.id);
      const [task] = await f.w.tasksOf(job.id);
      await f.w.run(task?.id as string, 'failed');
      const { nextFireAt } = await f.w.find(job.id);
      f.w.clock.pass(5_000);
      await retry(task?.id as string);
      await f.w.run(task?.id as string);
      expect(nextFireAt).not.toBeNull();
      expect((await f.w.find(job.id)).nextFireAt).toBe(nextFireAt);
    });
  });
});
