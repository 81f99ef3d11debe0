import type { EvenkeelClient, SubmitTask, TaskView } from '@evenkeel/sdk/client';
import { CountingServer, NEVER_MS } from '../support/counting-server.js';
import { freePort } from '../support/free-port.js';
import { Installation } from '../support/installation.js';
import type { Process } from '../support/processes.js';
import { ADAPTERS } from '../support/services.js';
import { ended, steps, untilTask } from '../support/tasks.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const FENCED = 'no word from the centre for the length of the lease';
/** What the specification allows (a worker is lost 20 s after its last beat, and a probe takes 3 s more), five times over. */
const LOST_WITHIN_MS = 5 * 25_000;
/** A second after its next life has registered, five times over: well before the next sweep could be what found them. */
const RECOVERED_WITHIN_MS = 5_000;
const TASKS = 5;

describe.each(ADAPTERS)('workers that vanish (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;
  let killed: Process;
  let silent: Process;
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    // The first attempt of each task hangs in its call for as long as its worker lives; the second is answered.
    server = await CountingServer.start((call) => (call === 1 ? NEVER_MS : 20));
    installation = await Installation.create(adapter, ['killed', 'cut', 'restarted']);
    const centre = new URL((await installation.startNode('n1')).url);
    client = installation.client();
    const port = await freePort();
    const [outward, inward] = [await TcpProxy.before(centre), await TcpProxy.before({ hostname: '127.0.0.1', port })];
    proxies.push(outward, inward);
    killed = await installation.startWorker({ id: 'killed', groups: ['killed'], slots: 10 });
    silent = await installation.startWorker({
      id: 'silent',
      groups: ['cut'],
      slots: 10,
      port,
      advertiseUrl: inward.through(new URL('http://127.0.0.1')).origin,
      centre: [outward.through(centre).origin],
    });
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    for (const proxy of proxies) await proxy.cut();
    await server?.stop();
  });

  const submit = async (group: string, n: number, options: Partial<SubmitTask> = {}) => {
    const params = { url: server.url(`/${group}/${n}`), timeoutMs: NEVER_MS };
    return (await client.submit('http', params, { group, timeoutMs: 0, ...options })).id;
  };
  const submitAll = (group: string) => Promise.all(Array.from({ length: TASKS }, (_, n) => submit(group, n)));
  const running = (ids: string[]) => Promise.all(ids.map((id) => untilTask(client, id, 'RUNNING')));
  const registration = async (id: string): Promise<number> => {
    const { dialect } = await installation.look();
    const [row] = await dialect.root.rows<{ at: number | string }>(
      'SELECT registered_at AS at FROM workers WHERE worker_id = ?',
      [id],
    );
    return Number(row?.at);
  };
  const attemptsOf = (task: TaskView) => task.attempts.map(({ outcome, worker }) => [outcome, worker]);

  it('a killed worker that is back at once with the same id has its attempts recovered long before it would count as lost', async () => {
    const first = await installation.startWorker({ id: 'restarted', groups: ['restarted'], slots: 10 });
    const ids = await submitAll('restarted');
    await running(ids);
    await first.kill();
    const killedAt = Date.now();
    await installation.startWorker({ id: 'restarted', groups: ['restarted'], slots: 10 });
    const registeredAt = await registration('restarted');
    expect(registeredAt).toBeGreaterThan(killedAt);
    for (const task of await ended(client, ids)) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
      expect(attemptsOf(task)).toEqual([
        ['lost', 'restarted'],
        ['succeeded', 'restarted'],
      ]);
      const lost = task.timeline.find(({ reason }) => reason === 'worker_lost');
      expect(Date.parse(lost?.at as string)).toBeGreaterThanOrEqual(registeredAt);
      expect(Date.parse(lost?.at as string) - registeredAt).toBeLessThan(RECOVERED_WITHIN_MS);
    }
    expect(server.callsBelow('/restarted/')).toEqual(Array(TASKS).fill(2));
  }, 90_000);

  describe('one killed and one cut off in the same moment', () => {
    let repeatable: string[];
    let notRepeatable: string;
    let cutOff: string[];
    /** By the clock of its machine, which is the centre's. */
    let fencedAt: number;

    beforeAll(async () => {
      repeatable = await submitAll('killed');
      notRepeatable = await submit('killed', TASKS, { repeatable: false });
      cutOff = await submitAll('cut');
      await running([...repeatable, notRepeatable, ...cutOff]);
      await installation.startWorker({ id: 'other', groups: ['killed', 'cut'], slots: 50 });
      for (const proxy of proxies) proxy.freeze();
      await killed.kill();
      const told = await waitFor(
        'the silent worker fences itself',
        () => silent.output.find((line) => line.includes(FENCED)),
        LOST_WITHIN_MS,
      );
      fencedAt = Date.parse(JSON.parse(told).time);
    }, 240_000);

    it('what the killed one ran is repeated on the other, and its timeline tells of the crash', async () => {
      for (const task of await ended(client, repeatable, LOST_WITHIN_MS)) {
        expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
        expect(attemptsOf(task)).toEqual([
          ['lost', 'killed'],
          ['succeeded', 'other'],
        ]);
        const again = ['PENDING>DISPATCHED', 'DISPATCHED>RUNNING', 'RUNNING>SUCCEEDED'];
        expect(steps(task).slice(3)).toEqual(['RUNNING>PENDING worker_lost', ...again]);
      }
      const { dialect } = await installation.look();
      const rows = await dialect.root.rows<{ crashes: number; retries: number }>(
        `SELECT crashes, retries FROM tasks WHERE id IN (${repeatable.map(() => '?').join(', ')})`,
        repeatable,
      );
      expect(rows.map(({ crashes, retries }) => [Number(crashes), Number(retries)])).toEqual(Array(TASKS).fill([1, 0]));
    }, 240_000);

    it('what must not be repeated fails for that reason', async () => {
      const task = await client.wait(notRepeatable, { timeoutMs: LOST_WITHIN_MS });
      expect(task).toMatchObject({ status: 'FAILED', reason: 'not_repeatable', attempt: 1 });
      expect(server.calls.get(`/killed/${TASKS}`)).toBe(1);
    }, 240_000);

    it('the one cut off aborts its attempts before the centre gives them away, and only the second attempts count', async () => {
      for (const task of await ended(client, cutOff, LOST_WITHIN_MS)) {
        expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
        const lost = task.timeline.find(({ reason }) => reason === 'worker_lost');
        expect(Date.parse(lost?.at as string)).toBeGreaterThan(fencedAt);
        expect(attemptsOf(task)).toEqual([
          ['lost', 'silent'],
          ['succeeded', 'other'],
        ]);
      }
      for (const proxy of proxies) await proxy.restore();
      for (const id of cutOff) {
        const task = await waitFor('the late word of the first attempt is on record', async () => {
          const now = await client.get(id);
          return now.timeline.some(({ reason }) => reason === 'late_result') ? now : null;
        });
        expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2, result: { status: 200 } });
        expect(steps(task).filter((step) => step === 'RUNNING>SUCCEEDED')).toHaveLength(1);
      }
      expect(server.callsBelow('/cut/')).toEqual(Array(TASKS).fill(2));
    }, 240_000);

    it('the one cut off takes work again once it is heard', async () => {
      await waitFor(
        'it is given a task',
        async () => {
          const { id } = await client.submit('noop', null, { group: 'cut', routing: 'round_robin' });
          return (await client.wait(id, { timeoutMs: 30_000 })).attempts[0]?.worker === 'silent';
        },
        60_000,
      );
    }, 90_000);
  });
});
