import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { freePort } from '../support/free-port.js';
import { Installation } from '../support/installation.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';
import { printSoak, type SoakRow } from './soak-table.js';

const ROUNDS = Number(process.env.CALLBACK_KILL_ROUNDS ?? 100);
const TASKS = 5;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

describe.each(ADAPTERS)('a node that is killed right after ends of tasks were committed, %s', (adapter) => {
  let installation: Installation;
  let receiver: Receiver;
  let backends: Backends;
  let port: number;

  beforeAll(async () => {
    receiver = await Receiver.listen();
    port = await freePort();
    installation = await Installation.create(adapter);
    backends = await installation.look();
    await startNode('n0');
    await installation.startWorker({ id: 'w1', centre: [`http://127.0.0.1:${port}`] });
  }, 120_000);
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
  });

  const startNode = (id: string) => installation.startNode(id, { ...LOOPBACK_CALLBACKS, PORT: String(port) });
  const endsOf = (ids: readonly string[]) =>
    backends.dialect.root.rows<{ id: string; at: number | string }>(
      `SELECT id, ended_at AS at FROM tasks WHERE state = ${STATE_CODE.SUCCEEDED} AND id IN (${ids.map(() => '?').join(', ')})`,
      ids,
    );

  it(
    'leaves every callback to be sent, each under one webhook-id and with the same bytes',
    async () => {
      const told = new Map<string, number>();
      receiver.behave = ({ event }, response) => {
        if (!told.has(event.data.taskId)) told.set(event.data.taskId, Date.now());
        response.writeHead(200).end();
      };
      const client = installation.client(`http://127.0.0.1:${port}`);
      const ids: string[] = [];
      let toldAfterKill = 0;
      for (let round = 1; round <= ROUNDS; round++) {
        const items = Array.from({ length: TASKS }, (_, n) => ({
          handler: 'noop',
          // They end one after another, so that the kill finds some of them on their way.
          delayMs: n * 10,
          callbackUrl: receiver.url(`/round-${round}`),
          clientRequestId: `r${round}-${n}`,
        }));
        const { results } = await client.submitBatch(items);
        const made = results.map(({ task }) => task?.id as string);
        ids.push(...made);
        await waitFor('one has ended', async () => (await endsOf(made)).length > 0);
        await installation.nodes.at(-1)?.process.kill();
        const ended = await endsOf(made);
        const early = new Set(told.keys());
        toldAfterKill += ended.filter(({ id }) => !early.has(id)).length;
        await startNode(`n${round}`);
        await waitFor(`round ${round} is told`, () => made.every((id) => told.has(id)), 120_000);
      }
      // What was sent under a lease that the kill cut off is sent again when the lease is over.
      await pause(35_000);
      const planned = ROUNDS * TASKS;
      const strange = ids.filter((id) => new Set(receiver.ofTask(id).map((each) => `${each.id} ${each.body}`)).size > 1);
      const ends = new Map(
        (await backends.dialect.root.rows<{ id: string; at: number | string }>('SELECT id, ended_at AS at FROM tasks')).map(
          ({ id, at }) => [id, Number(at)],
        ),
      );
      const row = {
        scenario: `callbacks, kill -9 after the commit, ${ROUNDS} rounds, ${adapter} (end to receiver)`,
        planned,
        executed: told.size,
        doubled: strange.length,
        lost: ids.filter((id) => !told.has(id)).length,
        lateness: ids.map((id) => (told.get(id) ?? 0) - (ends.get(id) ?? 0)),
      };
      rows.push(row);
      const repeated = ids.filter((id) => receiver.ofTask(id).length > 1).length;
      process.stderr.write(
        `${adapter}: ${toldAfterKill} committed and told only after the kill, ${repeated} sent again under the same id\n`,
      );
      expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
      expect(new Set(ids.map((id) => receiver.ofTask(id)[0]?.id)).size).toBe(planned);
      // Else the kills came too late to prove anything.
      expect(toldAfterKill).toBeGreaterThan(0);
    },
    ROUNDS * 120_000,
  );
});
