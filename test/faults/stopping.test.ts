import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const LIMIT_MS = 1_000;
/** Limit, 10 s until the centre tells it to stop, 30 s until it gives up, and two sweeps; three times over. */
const ENDED_WITHIN_MS = 3 * (LIMIT_MS + 10_000 + 30_000 + 10_000);

describe('an attempt that is told to stop', () => {
  let installation: Installation;
  let client: EvenkeelClient;
  let stubborn: ScriptedWorker;
  let obedient: ScriptedWorker;

  beforeAll(async () => {
    installation = await Installation.create('embedded', ['stubborn', 'obedient'], 2);
    await installation.startNode('n1');
    client = installation.client();
    stubborn = await ScriptedWorker.register(installation, { id: 'w1', groups: ['stubborn'] });
    obedient = await ScriptedWorker.register(installation, { id: 'w2', groups: ['obedient'], slots: 1 });
  }, 120_000);
  afterAll(async () => {
    for (const worker of [stubborn, obedient]) await worker?.vanish();
    await installation?.remove();
  });

  const taken = async (worker: ScriptedWorker, more: object = {}) => {
    const group = worker.script.groups?.[0];
    const { id } = await client.submit('noop', null, { group, ...more });
    await waitFor('it is ordered', () => worker.running.has(id));
    return id;
  };

  it('queued: is cancelled at once; running: when its worker says that it stopped', async () => {
    const running = await taken(obedient, { timeoutMs: 0 });
    const queued = (await client.submit('noop', null, { group: 'obedient' })).id;
    expect(await client.cancel(queued)).toMatchObject({ status: 'CANCELLED' });
    expect(await client.cancel(running)).toMatchObject({ cancelRequested: true });
    await waitFor('its worker is told', () => obedient.stopAsked.includes(`${running} cancelled`));
    await obedient.end(running, { outcome: 'cancelled' });
    expect(await untilTask(client, running, 'CANCELLED')).toMatchObject({ attempt: 1, reason: 'cancel_requested' });
    expect(obedient.ordersOf(queued)).toEqual([]);
  }, 60_000);

  it('and never does: is shown to be waited for, told to stop, and after the grace ended without a retry; its place stays taken until it is named no more', async () => {
    const limited = await taken(stubborn, { timeoutMs: LIMIT_MS });
    const cancelled = await taken(stubborn, { timeoutMs: 0 });
    await client.cancel(cancelled);
    const next = (await client.submit('noop', null, { group: 'stubborn' })).id;
    await waitFor('both are shown to be waited for', async () => {
      const reasons = await Promise.all([limited, cancelled].map(async (id) => (await client.get(id)).reason));
      return reasons.every((reason) => reason === 'waiting_for_abort');
    });
    await waitFor('it is told to stop', () => stubborn.stopAsked.includes(`${limited} timed_out`), ENDED_WITHIN_MS);
    expect(await client.get(limited)).toMatchObject({ status: 'RUNNING', attempt: 1 });
    const ended = { reason: 'did_not_stop', attempt: 1 };
    expect(await client.wait(cancelled, { timeoutMs: ENDED_WITHIN_MS })).toMatchObject({ status: 'CANCELLED', ...ended });
    expect(await client.wait(limited, { timeoutMs: ENDED_WITHIN_MS })).toMatchObject({ status: 'TIMED_OUT', ...ended });
    // Two places of two are taken by attempts whose tasks have ended.
    await stubborn.beat();
    expect(stubborn.running.size).toBe(2);
    expect(stubborn.ordersOf(next)).toEqual([]);
    stubborn.running.clear();
    await waitFor('the places are free again', () => stubborn.running.has(next), 60_000);
    expect(stubborn.ordersOf(limited)).toHaveLength(1);
    await stubborn.end(next);
  }, 300_000);
});
