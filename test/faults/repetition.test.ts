import { randomBytes } from 'node:crypto';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { ADAPTERS } from '../support/services.js';
import { untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const AT_ONCE = { kind: 'fixed', maxRetries: 2, delayMs: 0 } as const;

describe.each(ADAPTERS)('what is repeated and what is not (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  let worker: ScriptedWorker;

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    await installation.startNode('n1');
    client = installation.client();
    worker = await ScriptedWorker.register(installation, { id: 'w1' });
  }, 120_000);
  afterAll(async () => {
    await worker?.vanish();
    await installation?.remove();
  });

  const ordered = (id: string, times: number) =>
    waitFor(`order ${times} of it`, () => (worker.running.has(id) ? worker.ordersOf(id)[times - 1] : undefined));
  const fail = (id: string, message = 'no') => worker.end(id, { outcome: 'failed', error: { name: 'Error', message } });

  it('every attempt is told the same task: params, planned time and idempotency key, and which attempt it is', async () => {
    const params = { n: 1, deep: [{ text: '漢字 ' }] };
    const { id } = await client.submit('noop', params, { retry: AT_ONCE, delayMs: 200 });
    const planned = Date.parse((await client.get(id)).scheduledAt as string);
    for (const attempt of [1, 2, 3]) {
      const order = await ordered(id, attempt);
      expect(order).toMatchObject({ attempt, params, scheduledAt: planned, idempotencyKey: id });
      if (attempt < 3) await fail(id);
    }
    await worker.end(id);
    await untilTask(client, id, 'SUCCEEDED');
  }, 60_000);

  it('a failure too long to be stored counts like any other: two retries are three attempts', async () => {
    const { id } = await client.submit('noop', null, { retry: AT_ONCE });
    for (const attempt of [1, 2, 3]) {
      await ordered(id, attempt);
      await fail(id, `${randomBytes(100_000).toString('hex')} 漢字 \u0000`);
    }
    const task = await untilTask(client, id, 'FAILED');
    expect(task.attempts).toHaveLength(3);
    expect(task.error?.message.length).toBeGreaterThan(0);
    expect(worker.ordersOf(id)).toHaveLength(3);
  }, 60_000);

  it('a task cancelled while it waits for its retry is never tried again', async () => {
    const { id } = await client.submit('noop', null, { retry: { kind: 'fixed', maxRetries: 5, delayMs: 6_000 } });
    await ordered(id, 1);
    await fail(id);
    await untilTask(client, id, 'RETRYING');
    expect(await client.cancel(id)).toMatchObject({ status: 'CANCELLED' });
    const later = await client.submit('noop', null, { delayMs: 7_000 });
    await ordered(later.id, 1);
    await worker.end(later.id);
    expect(worker.ordersOf(id)).toHaveLength(1);
    expect(await client.get(id)).toMatchObject({ status: 'CANCELLED' });
  }, 60_000);

  it('a task given up after too many crashes starts with fresh counters when a person retries it', async () => {
    const { id } = await client.submit('noop');
    // Three crashes are forgiven by default.
    for (const attempt of [1, 2, 3, 4]) {
      await ordered(id, attempt);
      await worker.restart();
    }
    expect(await untilTask(client, id, 'FAILED')).toMatchObject({ reason: 'crash_retries_exhausted' });
    await client.retry(id);
    await ordered(id, 5);
    await worker.restart();
    await ordered(id, 6);
    await worker.end(id);
    expect(await untilTask(client, id, 'SUCCEEDED')).toMatchObject({ attempt: 6 });
  }, 60_000);

  it('a job that fires after the end of its last task fires on when that was cancelled', async () => {
    const schedule = { kind: 'after', delayMs: 1_000 };
    const { id } = await client.createJob({ key: 'after', handler: 'noop', schedule } as never);
    const fired = (times: number) =>
      waitFor(`fire ${times}`, async () => {
        const { items } = await client.list({ jobId: id });
        return items.length >= times ? items.find(({ id: task }) => worker.running.has(task))?.id : undefined;
      });
    const first = await fired(1);
    await client.cancel(first);
    await waitFor('its worker is told', () => worker.stopAsked.includes(`${first} cancelled`));
    await worker.end(first, { outcome: 'cancelled' });
    await worker.end(await fired(2));
    await client.pauseJob(id);
  }, 60_000);

  it('a job deleted and made anew under its key, again and again, fires by the newest only, once a second', async () => {
    const schedule = { kind: 'every', everyMs: 1_000 };
    let id = '';
    for (let n = 0; n < 10; n++) {
      if (n > 0) await client.deleteJob(id);
      ({ id } = await client.createJob({
        key: 'again',
        handler: 'noop',
        params: { n },
        schedule,
        overlap: 'allow',
        maxParallel: 100,
      } as never));
    }
    const fires = await waitFor('it fired three times', async () => {
      const { items } = await client.list({ jobId: id });
      return items.length >= 3 ? items : null;
    });
    await client.pauseJob(id);
    expect(new Set(fires.map(({ scheduledAt }) => scheduledAt)).size).toBe(fires.length);
    for (const { id: task } of fires) expect((await ordered(task, 1)).params).toEqual({ n: 9 });
  }, 60_000);
});
