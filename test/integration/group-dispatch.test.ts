import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { Installation } from '../support/installation.js';
import { seedTasks } from '../support/seeded-tasks.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const BACKLOG = 20_000;
/** Tasks of the busy group that may start before those of its neighbour have; it starts several hundred a second. */
const NEIGHBOURLY = 5_000;

describe.each(ADAPTERS)('what a group allows (%s)', (adapter) => {
  let installation: Installation;
  let backends: Backends;
  let groups: GroupsService;
  const of = (key: string) => groups.byKey(key) as Group;
  const count = async (sql: string, ...params: unknown[]) => {
    const [row] = await backends.dialect.root.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM tasks WHERE ${sql}`,
      params,
    );
    return Number(row?.n);
  };
  const claimedAt = async (where: string, ...params: unknown[]) => {
    const rows = await backends.dialect.root.rows<{ claimed_at: number | string }>(
      `SELECT claimed_at FROM tasks WHERE ${where} AND claimed_at IS NOT NULL ORDER BY claimed_at`,
      params,
    );
    return rows.map((row) => Number(row.claimed_at));
  };

  beforeAll(async () => {
    installation = await Installation.create(adapter, ['busy', 'other', 'held', 'slow', 'small'], 50);
    backends = await installation.look();
    const { dialect, clock, signals } = backends;
    groups = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    await groups.onApplicationBootstrap();
    await groups.hold('busy', 'until the backlog stands', null);
    await seedTasks(backends, of('busy'), BACKLOG);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 100 });
  }, 240_000);
  afterAll(async () => {
    await groups?.onApplicationShutdown();
    await installation?.remove();
  });

  it('a hold lets nothing of the group start, with any backlog, and accepts what is submitted', async () => {
    const client = installation.client();
    await groups.hold('held', 'incident 42', null);
    const task = await client.submit('noop', {}, { group: 'held' });
    const beside = await client.submit('noop', {}, { group: 'other' });
    await waitFor('a task beside it has run', async () => (await client.get(beside.id)).status === 'SUCCEEDED');
    await waitFor('the node tells of the hold', async () => (await client.get(task.id)).reason === 'group_hold');
    expect((await client.get(task.id)).status).toBe('PENDING');
    expect(await count('group_id = ? AND state <> ?', of('busy').id, STATE_CODE.PENDING)).toBe(0);
    await groups.release('held');
    await waitFor('it runs once the group is released', async () => (await client.get(task.id)).status === 'SUCCEEDED');
  }, 60_000);

  it('a hold with an expiry ends by itself, and nothing started before', async () => {
    const client = installation.client();
    const until = backends.clock.now() + 6_000;
    await groups.hold('held', 'deploy', until);
    const task = await client.submit('noop', {}, { group: 'held' });
    const ended = await waitFor('it has run', async () => {
      const seen = await client.get(task.id);
      return seen.status === 'SUCCEEDED' ? seen : null;
    });
    expect(Date.parse(ended.timeline[1]?.at as string)).toBeGreaterThanOrEqual(until);
  }, 60_000);

  it('a rate lets no more tasks start in any second, the urgent ones first', async () => {
    const client = installation.client();
    const rate = 10;
    await groups.update('slow', null, { maxDispatchRate: rate });
    await groups.hold('slow', 'until the node knows of the rate', null);
    const items = Array.from({ length: 40 }, (_, i) => ({ handler: 'noop', group: 'slow', clientRequestId: `slow-${i}` }));
    const { results } = await client.submitBatch(items);
    const last = results[39]?.task?.id as string;
    await waitFor('the node knows of the hold', async () => (await client.get(last)).reason === 'group_hold');
    await groups.release('slow');
    await waitFor('it waits for the rate', async () => (await client.get(last)).reason === 'dispatch_rate');
    const urgent = await client.submit('noop', {}, { group: 'slow', priority: 9 });
    const seen = await waitFor('the urgent one has run', async () => {
      const task = await client.get(urgent.id);
      return task.status === 'SUCCEEDED' ? task : null;
    });
    const urgentAt = Date.parse(seen.timeline[1]?.at as string);
    const createdAt = Date.parse(seen.createdAt);
    const startsBetween = async () =>
      (await claimedAt('group_id = ?', of('slow').id)).filter((at) => at > createdAt && at < urgentAt).length;
    expect(await startsBetween()).toBeLessThanOrEqual(3);
    await waitFor(
      'all have started',
      async () => (await count('group_id = ? AND state = ?', of('slow').id, STATE_CODE.SUCCEEDED)) === 41,
    );
    const starts = await claimedAt('group_id = ?', of('slow').id);
    for (const start of starts)
      expect(starts.filter((at) => at >= start && at < start + 1_000).length).toBeLessThanOrEqual(rate + 3);
  }, 90_000);

  it('a full backlog refuses submits with 429 backlog_full, answers repeated ones, and takes new ones when it has emptied', async () => {
    const client = installation.client(undefined, 0);
    await groups.hold('small', 'to fill it', null);
    const first = await client.submit('noop', {}, { group: 'small', clientRequestId: 'small-0' });
    for (let i = 1; i < 5; i++) await client.submit('noop', {}, { group: 'small', clientRequestId: `small-${i}` });
    await groups.update('small', null, { maxPending: 5 });
    await waitFor('it is counted as full', () =>
      client.submit('noop', {}, { group: 'small' }).then(
        () => false,
        (error) => error.code === 'backlog_full' && error.problem.status === 429,
      ),
    );
    expect(await client.submit('noop', {}, { group: 'small', clientRequestId: 'small-0' })).toEqual(first);
    await groups.release('small');
    await waitFor('it takes tasks again', () => client.submit('noop', {}, { group: 'small' }).catch(() => null), 60_000);
  }, 120_000);

  it('twenty thousand due tasks of one group keep neither another group nor an urgent task of their own waiting', async () => {
    const client = installation.client();
    await groups.release('busy');
    await waitFor(
      'the backlog is being worked off',
      async () => (await claimedAt('group_id = ? AND state > 5', of('busy').id)).length > 100,
      60_000,
    );
    const items = Array.from({ length: 10 }, (_, i) => ({ handler: 'noop', group: 'other', clientRequestId: `other-${i}` }));
    const { results } = await client.submitBatch(items);
    const urgent = await client.submit('noop', {}, { group: 'busy', priority: 9 });
    const ids = [...results.map(({ task }) => task?.id as string), urgent.id];
    const seen = await waitFor('they have run', async () => {
      const tasks = await Promise.all(ids.map((id) => client.get(id)));
      return tasks.every(({ status }) => status === 'SUCCEEDED') ? tasks : null;
    });
    const startedAt = seen.map(({ timeline }) => Date.parse(timeline[1]?.at as string));
    const starts = await claimedAt('group_id = ? AND id <> ?', of('busy').id, urgent.id);
    const between = (from: number, to: number) => starts.filter((at) => at > from && at < to).length;
    expect(between(Date.parse(seen[0]?.createdAt as string), Math.max(...startedAt.slice(0, 10)))).toBeLessThan(NEIGHBOURLY);
    // At most what was being claimed in the moment it came, and the room of the quota that was free then.
    expect(between(Date.parse(urgent.createdAt), startedAt[10] as number)).toBeLessThanOrEqual(150);
    expect(await count('group_id = ? AND state = ?', of('busy').id, STATE_CODE.PENDING)).toBeGreaterThan(0);
  }, 120_000);
});
