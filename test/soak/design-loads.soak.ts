import { setTimeout as pause } from 'node:timers/promises';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { seedJobs } from '../support/seeded-jobs.js';
import { waitFor } from '../support/wait-for.js';
import { percentile, printSoak, type SoakRow } from './soak-table.js';

const WORKERS = 10;
const SLOTS = 60;
const CRON_JOBS = 20_000;
const BATCH = 2_000;
const BATCH_EVERY_MS = 10_000;
const DELAYED = 50_000;
const DELAYED_OVER_MS = 120_000;
const SUBMITS_PER_SECOND = 200;
const SUBMIT_SECONDS = 60;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

interface Task {
  id: string;
  state: number;
  due: number | string;
  fired: number | string | null;
  created: number | string;
  started: number | string | null;
}

/** The loads the product was first designed for, as far as two cores carry everything at once: two nodes, ten workers, the database. */
describe('the loads of the first design', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create('cluster', ['cron', 'delayed', 'steady'], 2_000);
    backends = await installation.look();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (let n = 0; n < WORKERS; n++) await installation.startWorker({ id: `w${n}`, slots: SLOTS });
  }, 300_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const tasksOf = (group: string) =>
    backends.dialect.root.rows<Task>(
      `SELECT t.id, t.state, t.scheduled_at AS due, t.fire_at AS fired, t.created_at AS created, t.started_at AS started
       FROM tasks t INNER JOIN task_groups g ON g.id = t.group_id WHERE g.group_key = ?`,
      [group],
    );
  const endedOf = async (group: string) => {
    const [row] = await backends.dialect.root.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM tasks t INNER JOIN task_groups g ON g.id = t.group_id
       WHERE g.group_key = ? AND t.state >= ${STATE_CODE.SUCCEEDED}`,
      [group],
    );
    return Number(row?.n);
  };

  /** What became of the tasks of the group; late is how long after its due time an attempt began. */
  async function count(scenario: string, group: string, planned: number): Promise<SoakRow & { succeeded: number }> {
    const tasks = await tasksOf(group);
    const runs = tasks.map(({ id }) => server.callsOfTask.get(id) ?? 0);
    const executed = runs.filter((n) => n > 0).length;
    const row = { scenario, planned, executed, doubled: runs.filter((n) => n > 1).length, lost: planned - executed };
    const late = tasks.map(({ due, started }) => (started === null ? Number.NaN : Math.max(0, Number(started) - Number(due))));
    rows.push({ ...row, lateness: late });
    return { ...row, lateness: late, succeeded: tasks.filter(({ state }) => state === STATE_CODE.SUCCEEDED).length };
  }

  /** Where the time went, in milliseconds at the median and the 99th percentile: to be made, to be due, to be claimed, to start, to end. */
  async function stages(group: string): Promise<string> {
    const found = await backends.dialect.root.rows<Record<string, number | string>>(
      `SELECT t.created_at - t.scheduled_at AS made, t.due_at - t.created_at AS due, t.claimed_at - t.due_at AS claimed,
         t.started_at - t.claimed_at AS started, t.ended_at - t.started_at AS ended
       FROM tasks t INNER JOIN task_groups g ON g.id = t.group_id WHERE g.group_key = ?`,
      [group],
    );
    const of = (stage: string, part: number) =>
      percentile(
        found.map((row) => Number(row[stage])),
        part,
      );
    return ['made', 'due', 'claimed', 'started', 'ended']
      .map((stage) => `${stage} ${of(stage, 0.5)}/${of(stage, 0.99)}`)
      .join(', ');
  }

  it('20 000 cron jobs fire in batches, one every ten seconds, each once, and call out for 80 ms each', async () => {
    server.delayMs = 80;
    const batches = CRON_JOBS / BATCH;
    const first = Math.ceil((backends.clock.now() + 60_000) / BATCH_EVERY_MS) * BATCH_EVERY_MS;
    await seedJobs(backends, ['cron'], CRON_JOBS, (i) => {
      const nextFireAt = first + Math.floor(i / BATCH) * BATCH_EVERY_MS;
      const at = new Date(nextFireAt);
      const expression = `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
      const schedule = { kind: 'cron', expression, timeZone: 'UTC', dst: { gap: 'first_valid', overlap: 'once' } } as const;
      return { schedule, nextFireAt, handler: 'http', params: { url: server.url('/cron') } };
    });
    expect(backends.clock.now()).toBeLessThan(first);
    await pause(first - backends.clock.now() + batches * BATCH_EVERY_MS);
    await waitFor('all have ended', async () => (await endedOf('cron')) === CRON_JOBS, 300_000);
    const tasks = await tasksOf('cron');
    rows.push({
      ...{ scenario: `${CRON_JOBS} cron jobs, ${BATCH} every 10 s: fires`, planned: CRON_JOBS, executed: tasks.length },
      ...{ doubled: Math.max(0, tasks.length - CRON_JOBS), lost: Math.max(0, CRON_JOBS - tasks.length) },
      lateness: tasks.map(({ fired, created }) => Number(created) - Number(fired)),
    });
    process.stderr.write(`stages of ${CRON_JOBS} cron jobs: ${await stages('cron')}\n`);
    const row = await count('the same: starts of their 80 ms calls', 'cron', CRON_JOBS);
    expect(row).toMatchObject({ executed: CRON_JOBS, doubled: 0, lost: 0, succeeded: CRON_JOBS });
  }, 900_000);

  it('50 000 delayed tasks run on ten workers, each once and none early', async () => {
    server.delayMs = 0;
    const client = installation.client();
    const base = backends.clock.now() + 60_000;
    const send = async (from: number) => {
      const items = Array.from({ length: 100 }, (_, i) => ({
        handler: 'http',
        group: 'delayed',
        params: { url: server.url('/delayed') },
        runAt: new Date(base + ((from + i) * DELAYED_OVER_MS) / DELAYED).toISOString(),
        clientRequestId: `delayed-${from + i}`,
      }));
      await client.submitBatch(items);
    };
    for (let from = 0; from < DELAYED; from += 400) await Promise.all([0, 100, 200, 300].map((more) => send(from + more)));
    await waitFor('all have ended', async () => (await endedOf('delayed')) === DELAYED, 600_000);
    const row = await count(`${DELAYED} delayed tasks over ${WORKERS} workers`, 'delayed', DELAYED);
    expect(row).toMatchObject({ executed: DELAYED, doubled: 0, lost: 0, succeeded: DELAYED });
    const early = (await tasksOf('delayed')).filter(({ started, due }) => Number(started) < Number(due));
    expect(early).toEqual([]);
    const shares = await backends.dialect.root.rows<{ worker: string; n: number | string }>(
      `SELECT t.worker_id AS worker, COUNT(*) AS n FROM tasks t INNER JOIN task_groups g ON g.id = t.group_id
       WHERE g.group_key = 'delayed' GROUP BY t.worker_id`,
    );
    process.stderr.write(`tasks per worker: ${shares.map(({ n }) => n).join(', ')}\n`);
    expect(shares).toHaveLength(WORKERS);
  }, 1_200_000);

  it('200 submissions a second of tasks of one second are all accepted, and at least 99.9 % succeed', async () => {
    server.delayMs = 1_000;
    // A client keeps sixteen connections, and what waits for one waits within its time limit: partners are many.
    const clients = Array.from({ length: 10 }, (_, n) => installation.client(installation.nodes[n % 2]?.url, 180_000));
    const planned = SUBMITS_PER_SECOND * SUBMIT_SECONDS;
    const sent: Promise<unknown>[] = [];
    const from = performance.now();
    for (let n = 0; n < planned; n++) {
      await pause(Math.max(0, from + (n * 1_000) / SUBMITS_PER_SECOND - performance.now()));
      const options = { group: 'steady', clientRequestId: `steady-${n}` };
      sent.push((clients[n % clients.length] as EvenkeelClient).submit('http', { url: server.url('/steady') }, options));
    }
    await Promise.all(sent);
    await waitFor('all have ended', async () => (await endedOf('steady')) === planned, 180_000);
    const row = await count(`${SUBMITS_PER_SECOND} submits/s of 1 s tasks, ${SUBMIT_SECONDS} s`, 'steady', planned);
    expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
    expect(row.succeeded / planned).toBeGreaterThanOrEqual(0.999);
  }, 600_000);
});
