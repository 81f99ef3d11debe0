import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { Installation } from '../support/installation.js';
import { seedTasks } from '../support/seeded-tasks.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';
import { printSoak, type SoakRow } from './soak-table.js';

const BACKLOG = 100_000;
const QUOTA = 50;
const ROUNDS = 10;
const NEIGHBOURS = 10;
/** The rule is a second, on a machine that does nothing else. */
const WITHIN_MS = 5_000;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

/** The same as `integration/group-dispatch` with five times the backlog, and in time instead of order. */
describe.each(ADAPTERS)('a hundred thousand due tasks of one group (%s)', (adapter) => {
  let installation: Installation;
  let backends: Backends;
  let groups: GroupsService;
  let busy: Group;

  beforeAll(async () => {
    installation = await Installation.create(adapter, ['busy', 'other'], QUOTA);
    backends = await installation.look();
    const { dialect, clock, signals } = backends;
    groups = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    await groups.onApplicationBootstrap();
    await groups.hold('busy', 'until the backlog stands', null);
    busy = groups.byKey('busy') as Group;
    const from = performance.now();
    await seedTasks(backends, busy, BACKLOG);
    process.stderr.write(`${adapter}: ${BACKLOG} tasks inserted in ${Math.round(performance.now() - from)} ms\n`);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: QUOTA * 2 });
  }, 600_000);
  afterAll(async () => {
    await groups?.onApplicationShutdown();
    await installation?.remove();
  });

  const startsOf = async (where: string, ...params: unknown[]): Promise<number[]> => {
    const found = await backends.dialect.root.rows<{ at: number | string }>(
      `SELECT claimed_at AS at FROM tasks WHERE group_id = ? AND claimed_at IS NOT NULL AND ${where}`,
      [busy.id, ...params],
    );
    return found.map(({ at }) => Number(at));
  };

  it('keep neither ten tasks of another group nor an urgent one of their own waiting', async () => {
    const client = installation.client();
    await groups.release('busy');
    await waitFor('the backlog is being worked off', async () => (await startsOf('state > 5')).length > 100, 60_000);
    const neighbourly: number[] = [];
    const urgent: number[] = [];
    const overtaken: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const items = Array.from({ length: NEIGHBOURS }, () => ({ handler: 'noop', group: 'other' }));
      const { results } = await client.submitBatch(items);
      const { id } = await client.submit('noop', {}, { group: 'busy', priority: 9 });
      const ids = [...results.map(({ task }) => task?.id as string), id];
      const seen = await Promise.all(ids.map((each) => client.wait(each, { timeoutMs: 60_000 })));
      for (const { status } of seen) expect(status).toBe('SUCCEEDED');
      const spans = seen.map(({ createdAt, timeline }) => [Date.parse(createdAt), Date.parse(timeline[1]?.at as string)]);
      const [createdAt, startedAt] = spans.pop() as [number, number];
      neighbourly.push(...spans.map(([from, to]) => (to as number) - (from as number)));
      urgent.push(startedAt - createdAt);
      overtaken.push((await startsOf('id <> ? AND claimed_at > ? AND claimed_at < ?', id, createdAt, startedAt)).length);
      await pause(500);
    }
    const counts = (planned: number) => ({ planned, executed: planned, doubled: 0, lost: 0 });
    rows.push({
      scenario: `${BACKLOG} due, another group's tasks (${adapter})`,
      ...counts(neighbourly.length),
      lateness: neighbourly,
    });
    rows.push({ scenario: `the same, priority 9 of its own group (${adapter})`, ...counts(urgent.length), lateness: urgent });
    process.stderr.write(`${adapter}: started between an urgent task's submit and start: ${overtaken.join(', ')}\n`);
    expect(Math.max(...neighbourly)).toBeLessThan(WITHIN_MS);
    // At most what was being claimed in the moment it came, and the room of the quota that was free then.
    expect(Math.max(...overtaken)).toBeLessThanOrEqual(3 * QUOTA);
    const [left] = await backends.dialect.root.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM tasks WHERE group_id = ? AND state = ${STATE_CODE.PENDING}`,
      [busy.id],
    );
    expect(Number(left?.n)).toBeGreaterThan(BACKLOG / 4);
  }, 300_000);
});
