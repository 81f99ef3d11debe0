import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { steps, untilTask } from '../support/tasks.js';

const WAIT = { timeoutMs: 30_000 };
const LONG_MS = 600_000;

describe.each(ADAPTERS)('how tasks end (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;

  beforeAll(async () => {
    installation = await Installation.create(adapter, ['default', 'deserted']);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', groups: ['default'], slots: 10 });
    client = installation.client();
  }, 120_000);
  afterAll(() => installation?.remove());

  it('a failure without retries is final, with its error', async () => {
    const { id } = await client.submit('fail', { message: 'no such account' }, { retry: { kind: 'none' } });
    const task = await client.wait(id, WAIT);
    expect(task).toMatchObject({ status: 'FAILED', reason: 'handler_failed', attempt: 1, result: null });
    expect(task.error).toMatchObject({ name: 'Error', message: 'no such account' });
    expect(task.attempts).toMatchObject([{ attempt: 1, worker: 'w1', outcome: 'failed' }]);
  }, 60_000);

  it('a failure the handler calls final is not retried', async () => {
    const { id } = await client.submit('fail', { retryable: false }, { retry: { kind: 'fixed', maxRetries: 5, delayMs: 1 } });
    expect(await client.wait(id, WAIT)).toMatchObject({ status: 'FAILED', reason: 'not_retryable', attempt: 1 });
  }, 60_000);

  it('a failure is retried after its back-off, and both attempts are on record', async () => {
    const { id } = await client.submit('flaky', { failTimes: 1 }, { retry: { kind: 'fixed', maxRetries: 3, delayMs: 3000 } });
    const waiting = await untilTask(client, id, 'RETRYING');
    expect(waiting).toMatchObject({ attempt: 2, reason: 'retry_backoff' });
    const task = await client.wait(id, WAIT);
    expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2, result: { attempt: 2 }, error: null });
    expect(task.attempts).toMatchObject([
      { attempt: 1, worker: 'w1', outcome: 'failed', error: { message: 'attempt 1 fails; the first 1 do' } },
      { attempt: 2, worker: 'w1', outcome: 'succeeded', error: null },
    ]);
    expect(steps(task).slice(2)).toEqual([
      'DISPATCHED>RUNNING',
      'RUNNING>RETRYING handler_failed',
      'RETRYING>PENDING',
      'PENDING>DISPATCHED',
      'DISPATCHED>RUNNING',
      'RUNNING>SUCCEEDED',
    ]);
    const [failed, retried] = task.timeline.filter(({ from }) => from === 'RUNNING' || from === 'RETRYING');
    expect(Date.parse(retried?.at as string) - Date.parse(failed?.at as string)).toBeGreaterThanOrEqual(3000);
  }, 60_000);

  it('failures end for good when the retries are used up', async () => {
    const { id } = await client.submit('fail', null, { retry: { kind: 'list', delaysMs: [10, 10] } });
    const task = await client.wait(id, WAIT);
    expect(task).toMatchObject({ status: 'FAILED', reason: 'retries_exhausted', attempt: 3 });
    expect(task.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  }, 60_000);

  it('an attempt that runs past its limit is stopped', async () => {
    const { id } = await client.submit('sleep', { ms: LONG_MS }, { timeoutMs: 300, retry: { kind: 'none' } });
    const task = await client.wait(id, WAIT);
    expect(task).toMatchObject({ status: 'TIMED_OUT', reason: 'attempt_timed_out', attempt: 1 });
    expect(task.attempts).toMatchObject([{ outcome: 'timed_out' }]);
    const ranMs = Date.parse(task.finishedAt as string) - Date.parse(task.startedAt as string);
    expect(ranMs).toBeGreaterThanOrEqual(200);
  }, 60_000);

  it('a cancel ends at once what does not run yet', async () => {
    const later = await client.submit('noop', null, { delayMs: LONG_MS });
    const waiting = await client.submit('noop', null, { group: 'deserted' });
    await untilTask(client, later.id, 'SCHEDULED');
    await untilTask(client, waiting.id, 'PENDING');
    for (const { id } of [later, waiting]) {
      const task = await client.cancel(id);
      expect(task).toMatchObject({ status: 'CANCELLED', reason: 'cancelled_by_partner', attempts: [] });
      expect(task.timeline).toHaveLength(2);
    }
  }, 60_000);

  it('a cancel of what runs makes its worker stop it', async () => {
    const { id } = await client.submit('sleep', { ms: LONG_MS }, { timeoutMs: 0 });
    await untilTask(client, id, 'RUNNING');
    expect(await client.cancel(id)).toMatchObject({ status: 'RUNNING', cancelRequested: true });
    const task = await client.wait(id, WAIT);
    expect(task).toMatchObject({ status: 'CANCELLED', reason: 'cancel_requested', attempts: [{ outcome: 'cancelled' }] });
    expect(task.timeline.at(-1)).toMatchObject({ from: 'RUNNING', to: 'CANCELLED', actor: 'worker:w1' });
    await expect(client.cancel(id)).resolves.toMatchObject({ status: 'CANCELLED' });
  }, 60_000);

  it('a look that waits is answered when the task ends, and no later than it asked', async () => {
    const short = await client.submit('sleep', { ms: 1500 });
    const askedAt = performance.now();
    expect(await client.get(short.id, { wait: 30 })).toMatchObject({ status: 'SUCCEEDED' });
    expect(performance.now() - askedAt).toBeLessThan(20_000);

    const long = await client.submit('sleep', { ms: LONG_MS }, { timeoutMs: 0 });
    await untilTask(client, long.id, 'RUNNING');
    const againAt = performance.now();
    expect(await client.get(long.id, { wait: 1 })).toMatchObject({ status: 'RUNNING' });
    expect(performance.now() - againAt).toBeGreaterThanOrEqual(990);
    await client.cancel(long.id);
  }, 60_000);
});
