import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backends } from '../../src/backends/backends.js';
import { stateOf } from '../../src/decisions/state-codes.js';
import { AdminBrowser as Browser, PASSWORD } from '../support/admin-browser.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS, type AdapterName } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;
/** Fires of the minute in the window are made up for; the grace of five seconds may put the newest on time. */
const POLICIES = ['fire_once', 'skip', 'fire_all'] as const;

/** Which nodes there are before the outage, and after it. */
const NODES: Record<AdapterName, [string[], string[]]> = {
  embedded: [['n1'], ['n1']],
  cluster: [
    ['n1', 'n2'],
    ['n3', 'n4'],
  ],
};
/** The longest on both databases; `npm run test:soak` has all of them on both. */
const OUTAGES = ADAPTERS.flatMap((adapter) =>
  (adapter === 'embedded' || process.env.MISFIRE_IN_FULL ? [3, 9, 30] : [30]).map((minutes) => [minutes, adapter] as const),
);

interface Made {
  id: string;
  fireAt: number;
  state: string;
  reason: string | null;
  dueAt: number;
  createdAt: number;
  missed: { missed: number; first: string; last: string } | null;
}

/**
 * Real nodes; the outage is the time all of them are down, moved by the clock's offset. Each outage has an installation of its own,
 * so that what one leaves behind does not count for the next.
 */
describe.each(OUTAGES)('all nodes down for %i minutes (%s)', (minutes, adapter) => {
  let installation: Installation;
  let backends: Backends;
  let clockFile: string;
  let stoppedAt: number;
  let startedAt: number;
  const jobs: Record<string, string> = {};

  const move = (ms: number) => writeFileSync(clockFile, String(ms));
  const start = (ids: string[]) =>
    Promise.all(ids.map((id) => installation.startNode(id, { TEST_CLOCK_FILE: clockFile, EVENKEEL_ADMIN_PASSWORD: PASSWORD })));
  const madeFor = async (jobId: string): Promise<Made[]> => {
    const rows = await backends.dialect.root.rows<Record<string, never>>(
      'SELECT id, fire_at, state, reason, due_at, created_at, result FROM tasks WHERE job_id = ? ORDER BY fire_at, created_at',
      [jobId],
    );
    return rows.map((row: Record<string, unknown>) => ({
      id: row.id as string,
      fireAt: Number(row.fire_at),
      state: stateOf(row.state as number),
      reason: row.reason as string | null,
      dueAt: Number(row.due_at),
      createdAt: Number(row.created_at),
      missed: row.reason === 'misfire_window' ? JSON.parse(row.result as string) : null,
    }));
  };
  /** Of the outage only: what was fired before the stop and after the start does not count. */
  const ofOutage = async (name: string): Promise<Made[]> =>
    (await madeFor(jobs[name] as string)).filter(({ fireAt }) => fireAt > stoppedAt && fireAt <= startedAt - 6_000);

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    backends = await installation.look();
    clockFile = join(installation.folder().path, 'clock');
    move(0);
    const nodes = await start(NODES[adapter][0]);
    const client = installation.client(nodes[0]?.url);
    const now = backends.clock.now();
    for (const misfire of POLICIES) {
      const make = async (kind: string, schedule: object, more: object = {}) => {
        const created = await client.createJob({
          key: `${kind}-${misfire}`,
          handler: 'noop',
          schedule,
          misfire,
          overlap: 'allow',
          maxParallel: 1_000,
          ...more,
        } as never);
        jobs[`${kind}-${misfire}`] = created.id;
      };
      await make('cron', { kind: 'cron', expression: '* * * * *', timeZone: 'Europe/Berlin' });
      await make('every', { kind: 'every', everyMs: 30_000 });
      await make('once', { kind: 'once', at: new Date(now + MINUTE).toISOString() });
      await make('after', { kind: 'after', delayMs: MINUTE });
      await make('manual', { kind: 'manual' });
      await make('event', { kind: 'event', name: 'paid' });
      await make('upstream', { kind: 'upstream' }, { upstreams: [`manual-${misfire}`] });
    }
    stoppedAt = backends.clock.now();
    await Promise.all(nodes.map(({ process }) => process.kill()));
    move(minutes * MINUTE);
    await start(NODES[adapter][1]);
    startedAt = backends.clock.now() + minutes * MINUTE;
    await waitFor(
      'everything that was missed has been decided',
      async () => {
        const [row] = await backends.dialect.root.rows<{ n: number | string }>(
          `SELECT COUNT(*) AS n FROM jobs WHERE next_fire_at <= ${Math.floor(startedAt)}`,
        );
        return Number(row?.n) === 0;
      },
      60_000,
    );
  }, 240_000);
  afterAll(() => installation?.remove());

  const WINDOW = 10 * MINUTE;
  const expectSpan = (made: Made[], everyMs: number) => {
    const beyond = made.filter(({ reason }) => reason === 'misfire_window');
    if (minutes * MINUTE <= WINDOW) return expect(beyond).toEqual([]);
    // One for the whole outage: how many, the first and the last; it has the last one's fire time.
    expect(beyond).toHaveLength(1);
    const { missed, fireAt, state } = beyond[0] as Made;
    const [first, last] = [Date.parse(missed?.first as string), Date.parse(missed?.last as string)];
    expect(state).toBe('SKIPPED');
    expect(last).toBe(fireAt);
    expect(first - stoppedAt).toBeLessThanOrEqual(everyMs + 5_000);
    expect(missed?.missed).toBe((last - first) / everyMs + 1);
    return expect(Math.abs(startedAt - WINDOW - last)).toBeLessThanOrEqual(everyMs + 30_000);
  };
  const fired = (made: Made[]) => made.filter(({ state }) => state !== 'SKIPPED');
  const inWindow = (everyMs: number) => Math.min(minutes, 10) * (MINUTE / everyMs);

  it.each([
    ['cron', MINUTE],
    ['every', 30_000],
  ] as const)('%s: fire_once makes up for the latest, skip for none, fire_all for each in the window', async (kind, everyMs) => {
    for (const misfire of POLICIES) {
      const made = await ofOutage(`${kind}-${misfire}`);
      expectSpan(made, everyMs);
      const times = fired(made).map(({ fireAt }) => fireAt);
      expect(new Set(times).size).toBe(times.length);
      if (misfire === 'skip') expect(times).toEqual([]);
      if (misfire === 'fire_once') expect(times.length).toBeLessThanOrEqual(1);
      if (misfire === 'fire_all') {
        expect(times.length).toBeGreaterThanOrEqual(inWindow(everyMs) - 3);
        expect(times.length).toBeLessThanOrEqual(inWindow(everyMs) + 1);
        expect(times).toEqual(times.map((_, i) => (times[0] as number) + i * everyMs));
      }
    }
  });

  it('once: fires late within the window unless it is to be skipped; beyond it waits for a person', async () => {
    const states = async (misfire: string) =>
      (await madeFor(jobs[`once-${misfire}`] as string)).map(
        ({ state, reason }) => reason ?? (state === 'SKIPPED' ? state : 'fired'),
      );
    const inTime = minutes * MINUTE <= WINDOW;
    expect(await states('fire_once')).toEqual([inTime ? 'fired' : 'misfire_window']);
    expect(await states('fire_all')).toEqual([inTime ? 'fired' : 'misfire_window']);
    expect(await states('skip')).toEqual(inTime ? [] : ['misfire_window']);
  });

  it('after: the one fire that was planned comes, late, whatever the policy; what has no times does not fire', async () => {
    for (const misfire of POLICIES) {
      expect(await madeFor(jobs[`after-${misfire}`] as string)).toHaveLength(1);
      for (const kind of ['manual', 'event', 'upstream']) expect(await madeFor(jobs[`${kind}-${misfire}`] as string)).toEqual([]);
    }
  });

  it('what is made up for is spread out, not due all at once', async () => {
    const late = (await Promise.all(Object.keys(jobs).map(ofOutage))).flat().filter(({ state }) => state !== 'SKIPPED');
    const due = new Map<number, number>();
    for (const { dueAt } of late) due.set(dueAt, (due.get(dueAt) ?? 0) + 1);
    // Nodes that caught up side by side: each gives every instant once.
    expect(Math.max(...due.values())).toBeLessThanOrEqual(NODES[adapter][1].length);
  });

  if (minutes * MINUTE > WINDOW)
    it('what waits for a person says so, is run by hand or made up for by them, and is no failure to be retried', async () => {
      const url = installation.nodes.at(-1)?.url as string;
      await installation.startWorker({ id: 'w1', slots: 20, centre: [url] });
      const client = installation.client(url);
      const admin = new Browser(url);
      expect((await admin.post('/api/session', { username: 'admin', password: PASSWORD })).status).toBe(200);
      const names = ['cron', 'every', 'once'].flatMap((kind) => POLICIES.map((misfire) => `${kind}-${misfire}`));
      const again = await Promise.all(
        names.map(async (name) => {
          const [waiting] = (await madeFor(jobs[name] as string)).filter(({ reason }) => reason === 'misfire_window');
          const path = `/api/tasks/${waiting?.id}`;
          const { verdict } = (await admin.get(`${path}/explain`)).json;
          expect(verdict).toEqual({ kind: 'needs_you', check: 'outcome', reason: 'misfire_window' });
          await expect(client.retry(waiting?.id as string)).rejects.toMatchObject({ code: 'task_not_retryable' });
          return (await admin.post(`${path}/run-again`, { reason: 'missed' })).json.taskId as string;
        }),
      );
      for (const id of again) expect(await client.wait(id, { timeoutMs: 60_000 })).toMatchObject({ status: 'SUCCEEDED' });
      const jobId = jobs['cron-fire_once'] as string;
      const waiting = (await madeFor(jobId)).find(({ reason }) => reason === 'misfire_window') as Made;
      const { missed, first, last } = waiting.missed as NonNullable<Made['missed']>;
      const until = new Date(Date.parse(last) + 1).toISOString();
      expect((await client.backfillJob(jobId, { from: first, until, maxParallel: 100 })).count).toBe(missed);
      const madeUp = await waitFor('the span is made up for', async () => {
        const rows = await backends.dialect.root.rows<{ fire_at: number | string; state: number }>(
          "SELECT fire_at, state FROM tasks WHERE job_id = ? AND backfill_key <> '' ORDER BY fire_at",
          [jobId],
        );
        return rows.length === missed && rows.every(({ state }) => stateOf(state) === 'SUCCEEDED') ? rows : null;
      });
      expect(madeUp.map(({ fire_at }) => Number(fire_at))).toEqual(
        Array.from({ length: missed }, (_, i) => Date.parse(first) + i * MINUTE),
      );
    }, 120_000);
});
