import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { CountingServer, NEVER_MS } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import type { Process } from '../support/processes.js';
import { ended, steps, untilTask } from '../support/tasks.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

/** Suspect after 15 s, asked after 20 s, and a probe takes 3 s at most; five times over. */
const JUDGED_WITHIN_MS = 5 * 25_000;
/** Long enough to be suspected and asked three times over. */
const SILENT_MS = 33_000;

interface Stored {
  state: string;
  silentMs: number | string;
}

describe('workers the centre does not hear', () => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;
  let fromMute: TcpProxy;
  let frozen: Process;
  let ofFrozen: string[];
  let ofMute: string[];

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create('cluster', ['mute', 'frozen']);
    const centre = new URL((await installation.startNode('n1')).url);
    await installation.startNode('n2');
    client = installation.client();
    fromMute = await TcpProxy.before(centre);
    frozen = await installation.startWorker({ id: 'frozen', groups: ['frozen'], slots: 4 });
    await installation.startWorker({ id: 'mute', groups: ['mute'], slots: 4, centre: [fromMute.through(centre).origin] });
    server.hold();
    ofFrozen = await Promise.all([0, 1, 2].map((n) => submit('frozen', `/frozen/${n}`)));
    ofMute = await Promise.all([0, 1, 2].map((n) => submit('mute', `/mute/${n}`)));
    await Promise.all([...ofFrozen, ...ofMute].map((id) => untilTask(client, id, 'RUNNING')));
    await installation.startWorker({ id: 'heir', groups: ['frozen'], slots: 4 });
    frozen.freeze();
    await fromMute.cut();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await fromMute?.cut();
    await server?.stop();
  });

  const stored = async (id: string): Promise<Stored> => {
    const { dialect } = await installation.look();
    const [row] = await dialect.root.rows<Stored>(
      `SELECT worker_state AS state, ${dialect.nowMs} - last_beat_at AS silentMs FROM workers WHERE worker_id = ?`,
      [id],
    );
    return row as Stored;
  };
  const submit = async (group: string, path: string) => {
    const params = { url: server.url(path), timeoutMs: NEVER_MS };
    return (await client.submit('http', params, { group, timeoutMs: 0 })).id;
  };

  it('one that stands still is asked, does not answer, is declared offline, and another runs what it had', async () => {
    await waitFor('it is offline', async () => (await stored('frozen')).state === 'offline', JUDGED_WITHIN_MS);
    await waitFor('the heir runs them', () => server.callsBelow('/frozen/').join() === '2,2,2', 60_000);
  }, 200_000);

  it('one that answers when asked keeps what it runs, however long its beats are missing, and is given nothing new', async () => {
    const next = await submit('mute', '/next');
    await waitFor('it was silent for long', async () => Number((await stored('mute')).silentMs) > SILENT_MS, JUDGED_WITHIN_MS);
    expect((await stored('mute')).state).toBe('ready');
    for (const id of ofMute) expect(await client.get(id)).toMatchObject({ status: 'RUNNING', attempt: 1 });
    expect(await client.get(next)).toMatchObject({ status: 'PENDING', attempt: 1 });
    server.release();
    await fromMute.restore();
    for (const task of await ended(client, [...ofMute, next]))
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, attempts: [{ worker: 'mute' }] });
    expect(server.callsBelow('/mute/')).toEqual([1, 1, 1]);
  }, 200_000);

  it('the one that stood still says its word too late, and works again', async () => {
    for (const task of await ended(client, ofFrozen)) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
      expect(task.attempts.map(({ outcome, worker }) => [outcome, worker])).toEqual([
        ['lost', 'frozen'],
        ['succeeded', 'heir'],
      ]);
    }
    frozen.thaw();
    await waitFor('it is heard again', async () => (await stored('frozen')).state === 'ready', 60_000);
    for (const id of ofFrozen) {
      const task = await waitFor('its late word is on record', async () => {
        const now = await client.get(id);
        return now.timeline.some(({ reason }) => reason === 'late_result') ? now : null;
      });
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
      expect(steps(task).filter((step) => step === 'RUNNING>SUCCEEDED')).toHaveLength(1);
    }
    expect(server.callsBelow('/frozen/')).toEqual([2, 2, 2]);
  }, 120_000);
});
