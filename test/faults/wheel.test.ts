import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { evenlyHeld, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const HOUR = 3_600_000;
const SOON = 500;

describe('what is due soon', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  let clockFile: string;
  let offset = 0;
  const jump = (ms: number) => {
    offset += ms;
    writeFileSync(clockFile, String(offset));
  };
  /** An hour, and until every node has seen it: what is made before that is made an hour ahead. */
  const turnBack = async () => {
    jump(-HOUR);
    const turnedBack = backends.clock.now() + HOUR / 2;
    for (const { process, url } of installation.nodes) {
      if (process.hasEnded) continue;
      const client = installation.client(url);
      await waitFor('the node sees the new time', async () => {
        const { createdAt } = await client.submit('noop', {});
        return Date.parse(createdAt) < turnedBack;
      });
    }
  };
  const env = () => ({ TEST_CLOCK_FILE: clockFile });

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create('cluster');
    clockFile = join(installation.folder().path, 'clock');
    jump(0);
    await Promise.all([installation.startNode('n1', env()), installation.startNode('n2', env())]);
    await installation.startWorker({ id: 'w1', slots: 100 });
    backends = await installation.look();
    await evenlyHeld(backends, 2);
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const count = async (where: string) => {
    const [row] = await backends.dialect.root.rows<{ n: number | string }>(`SELECT COUNT(*) AS n FROM tasks WHERE ${where}`);
    return Number(row?.n);
  };

  it('runs, each task once, although the node that had read it ahead is killed', async () => {
    const client = installation.client(installation.node('n2').url);
    const base = backends.clock.now() + 1_500;
    for (let from = 0; from < SOON; from += 100) {
      const items = Array.from({ length: 100 }, (_, i) => ({
        handler: 'http',
        params: { url: server.url(`/soon/${from + i}`) },
        runAt: new Date(base + (from + i) * 7).toISOString(),
        clientRequestId: `soon-${from + i}`,
      }));
      await client.submitBatch(items);
    }
    await waitFor('some have run', () => server.calls.size > 20);
    // One group has one holder: whichever it is loses what it had read ahead.
    const [row] = await backends.dialect.root.rows<{ holder: string }>(
      "SELECT holder FROM partitions p INNER JOIN task_groups g ON g.partition_no = p.partition_no WHERE g.group_key = 'default'",
    );
    await installation.node(row?.holder as string).process.kill();
    await waitFor('every one has run', () => server.calls.size === SOON, 75_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    await waitFor('every one has ended', async () => (await count(`state = ${STATE_CODE.SUCCEEDED}`)) === SOON, 60_000);
    expect(server.repeated).toEqual([]);
    const [early] = await backends.dialect.root.rows<{ n: number | string }>(
      'SELECT COUNT(*) AS n FROM tasks WHERE claimed_at < scheduled_at',
    );
    expect(Number(early?.n)).toBe(0);
    await installation.startNode('n3', env());
  }, 180_000);

  it('of a month from now does not come early, whatever else runs and whichever node starts', async () => {
    const client = installation.client(installation.nodes.find(({ process }) => !process.hasEnded)?.url);
    const far = await client.submit('noop', {}, { delayMs: 30 * 24 * HOUR });
    const near = await client.submit('noop', {}, { delayMs: 25 * 24 * HOUR });
    const now = await client.submit('noop', {});
    await waitFor('another has run', async () => (await client.get(now.id)).status === 'SUCCEEDED');
    await installation.startNode('n4', env());
    const soon = await client.submit('noop', {}, { delayMs: 2_000 });
    await waitFor(
      'one due later than those were submitted has run',
      async () => (await client.get(soon.id)).status === 'SUCCEEDED',
    );
    expect(await client.get(far.id)).toMatchObject({ status: 'SCHEDULED', reason: 'not_due' });
    expect((await client.get(near.id)).status).toBe('SCHEDULED');
  }, 120_000);

  it('has nothing to do with what runs: a clock that jumps an hour forward cuts off no attempt before its limit', async () => {
    const client = installation.client(installation.nodes.find(({ process }) => !process.hasEnded)?.url);
    const { id } = await client.submit('sleep', { ms: 25_000 }, { timeoutMs: 60_000 });
    await waitFor('it has run for a while', async () => {
      const { status, timeline } = await client.get(id);
      const startedAt = timeline.find(({ to }) => to === 'RUNNING')?.at;
      return status === 'RUNNING' && backends.clock.now() - Date.parse(startedAt ?? '') > 7_000;
    });
    jump(HOUR);
    try {
      const task = await client.wait(id, { timeoutMs: 60_000 });
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
      expect(task.timeline.map(({ to }) => to)).toEqual(['PENDING', 'DISPATCHED', 'RUNNING', 'SUCCEEDED']);
    } finally {
      await turnBack();
    }
  }, 120_000);

  it('neither bursts nor stalls when the clock jumps an hour forward, and an hour back', async () => {
    const client = installation.client(installation.nodes.find(({ process }) => !process.hasEnded)?.url);
    const { id } = await client.createJob({
      key: 'ticking',
      handler: 'noop',
      schedule: { kind: 'every', everyMs: 1_000 },
      overlap: 'allow',
      maxParallel: 100,
    } as never);
    const made = async () => {
      const rows = await backends.dialect.root.rows<{ fire_at: number | string; state: number }>(
        'SELECT fire_at, state FROM tasks WHERE job_id = ? ORDER BY created_at, fire_at',
        [id],
      );
      return rows.map((row) => ({ fireAt: Number(row.fire_at), skipped: row.state === STATE_CODE.SKIPPED }));
    };
    await waitFor('it fires', async () => (await made()).length >= 2);
    const before = (await made()).length;
    jump(HOUR);
    const beyond = backends.clock.now() + HOUR - 1_000;
    const fires = await waitFor('it fires on the new time', async () => {
      const later = (await made()).filter(({ fireAt }) => fireAt >= beyond);
      return later.length >= 3 ? await made() : null;
    });
    // An hour of seconds was jumped over: one fire made up for, one task that tells of the others, and those that came meanwhile.
    const forward = fires.slice(before);
    expect(forward.filter(({ skipped }) => skipped)).toHaveLength(1);
    expect(new Set(fires.map(({ fireAt }) => fireAt)).size).toBe(fires.length);
    expect(forward.length).toBeLessThan(60);

    const delayed = await client.submit('noop', {}, { delayMs: 1_000 });
    await waitFor('a delayed task has run', async () => (await client.get(delayed.id)).status === 'SUCCEEDED');
    await turnBack();
    const [back, direct] = [await client.submit('noop', {}, { delayMs: 1_000 }), await client.submit('noop', {})];
    await waitFor('what is submitted runs on the new time', async () => (await client.get(direct.id)).status === 'SUCCEEDED');
    await waitFor('a delayed task runs on the new time', async () => (await client.get(back.id)).status === 'SUCCEEDED');
    // The job has fired for this hour already: it goes on when that hour has passed, and fires no second twice.
    const after = await made();
    expect(new Set(after.map(({ fireAt }) => fireAt)).size).toBe(after.length);
  }, 180_000);
});
