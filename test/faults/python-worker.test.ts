import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import type { Folder } from '../support/processes.js';
import { PythonWorker } from '../support/python-worker.js';
import { signedRequest } from '../support/signed-request.js';
import { ended, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const TASKS = 300;

/** A worker in another language, written after docs/worker-protocol.md with nothing but a standard library, at a real centre. */
describe('the Python worker', () => {
  let installation: Installation;
  let client: EvenkeelClient;
  let url: string;
  const workers: PythonWorker[] = [];
  const start = async (id: string, change: { slots?: number; folder?: Folder } = {}) => {
    const worker = new PythonWorker({ url, key: installation.workerKey, id, ...change });
    workers.push(worker);
    await waitFor('it is registered', () => worker.said('worker registered') ?? worker.hasEnded);
    if (worker.hasEnded) throw new Error(worker.output.join('\n'));
    return worker;
  };

  beforeAll(async () => {
    installation = await Installation.create('embedded');
    url = (await installation.startNode('n1')).url;
    client = installation.client();
  }, 120_000);
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      await worker.end('SIGTERM');
      worker.folder.remove();
    }
  });
  afterAll(() => installation?.remove());

  it('runs a few hundred tasks, each once, and hands back what was submitted', async () => {
    const worker = await start('snake', { slots: 8 });
    const items = Array.from({ length: TASKS }, (_, n) => ({ handler: 'echo', params: { n, text: '你好 "\\ \u2028' } }));
    const { results, summary } = await client.submitBatch(items);
    expect(summary.accepted).toBe(TASKS);
    const tasks = await ended(
      client,
      results.map(({ task }) => task?.id as string),
    );
    for (const [n, task] of tasks.entries()) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, result: { n, text: '你好 "\\ \u2028' } });
      expect(task.attempts).toMatchObject([{ worker: 'snake', outcome: 'succeeded' }]);
    }
    const accepted = worker.lines.filter(({ message, outcome }) => message === 'order received' && outcome === 'accepted');
    expect(new Set(accepted.map(({ taskId }) => taskId)).size).toBe(TASKS);
  }, 120_000);

  it('fails for good, stops on cancel and times out', async () => {
    await start('snake2');
    const failing = await client.submit('fail', { message: 'no way' }, { retry: { kind: 'fixed', maxRetries: 3, delayMs: 1 } });
    expect(await client.wait(failing.id)).toMatchObject({ status: 'FAILED', attempt: 1, error: { message: 'no way' } });
    const long = await client.submit('sleep', { ms: 60_000 }, { timeoutMs: 0 });
    await untilTask(client, long.id, 'RUNNING');
    await client.cancel(long.id);
    expect(await client.wait(long.id)).toMatchObject({ status: 'CANCELLED' });
    const slow = await client.submit('sleep', { ms: 60_000 }, { timeoutMs: 300, retry: { kind: 'none' } });
    expect(await client.wait(slow.id)).toMatchObject({ status: 'TIMED_OUT' });
  }, 60_000);

  it('goes on after a handler whose error or result is no text that UTF-8 can write', async () => {
    await start('snake6', { slots: 1 });
    const once = { retry: { kind: 'none' as const } };
    const failing = await client.submit('fail', { message: 'half \ud800' }, once);
    expect(await client.wait(failing.id)).toMatchObject({ status: 'FAILED', error: { name: 'NonRetryable', message: 'half ?' } });
    const returned = await client.submit('echo', 'half \ud800', once);
    expect(await client.wait(returned.id)).toMatchObject({ status: 'FAILED', error: { name: 'ResultNotJsonError' } });
    const next = await client.submit('echo', 'whole', once);
    expect(await client.wait(next.id)).toMatchObject({ status: 'SUCCEEDED', result: 'whole' });
  }, 60_000);

  it('refuses orders that are not signed with its key', async () => {
    const worker = await start('snake3');
    const base = String(worker.said('worker registered')?.url);
    const { workerKey } = installation;
    expect((await signedRequest(base, workerKey, 'GET', '/health')).body).toMatchObject({ workerId: 'snake3', attempts: [] });
    for (const key of [
      { ...workerKey, secret: 'another' },
      { ...workerKey, accessKey: 'wk_0123456789abcdef' },
    ]) {
      expect((await signedRequest(base, key, 'GET', '/health')).status).toBe(401);
      expect((await signedRequest(base, key, 'POST', '/run', {})).status).toBe(401);
    }
    expect((await fetch(`${base}/run`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await signedRequest(base, workerKey, 'POST', '/run', {})).status).toBe(400);
  });

  it('drains on SIGTERM: finishes what it has, takes nothing new, leaves with 0', async () => {
    const worker = await start('snake4', { slots: 2 });
    const running = await client.submit('sleep', { ms: 1500 });
    await untilTask(client, running.id, 'RUNNING');
    const exit = worker.end('SIGTERM');
    await waitFor('the centre knows', async () => {
      const { dialect } = await installation.look();
      const rows = await dialect.root.rows<{ state: string }>(
        "SELECT worker_state AS state FROM workers WHERE worker_id = 'snake4'",
      );
      return rows[0]?.state !== 'online';
    });
    const later = await client.submit('echo', 1);
    expect(await exit).toBe(0);
    expect(await client.wait(running.id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1, result: { sleptMs: 1500 } });
    expect(await client.get(later.id)).toMatchObject({ status: 'PENDING' });
    await start('snake5');
    expect(await client.wait(later.id)).toMatchObject({ status: 'SUCCEEDED', attempts: [{ worker: 'snake5' }] });
  }, 60_000);

  it('that is killed is recovered when it comes back under its name', async () => {
    const first = await start('phoenix');
    const task = await client.submit('sleep', { ms: 5000 }, { timeoutMs: 0 });
    await untilTask(client, task.id, 'RUNNING');
    await first.end('SIGKILL');
    await start('phoenix', { folder: first.folder });
    expect(await client.wait(task.id, { timeoutMs: 60_000 })).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  }, 90_000);
});
