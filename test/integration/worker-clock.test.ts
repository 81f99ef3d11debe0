import { Installation } from '../support/installation.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

describe('the time that workers are told', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create('embedded');
    await installation.startNode('n1');
  }, 120_000);
  afterAll(() => installation?.remove());

  it('is that of the middle of their round trip, however long their beat waits to be written', async () => {
    const { url } = installation.nodes[0] as { url: string };
    const identity = { workerId: 'w1', incarnation: '01JZZZZZZZZZZZZZZZZZZZZZZZ' };
    const tell = (route: string, body: object) =>
      signedRequest(url, installation.workerKey, 'POST', `/worker/v1/${route}`, { ...identity, ...body });
    const offer = { groups: ['default'], urls: ['http://127.0.0.1:1'], handlers: [{ name: 'noop' }], slots: 1, sdk: 'test' };
    expect((await tell('register', { ...offer, unreported: [] })).status).toBe(200);
    const figures = { state: 'ready', active: 0, queued: 0, freeSlots: 0, avgCostMs: 0, cpuIdlePercent: 100, attempts: [] };
    let seq = 0;
    // Told as it was when the beat came or was answered, it would be off by half of what that took, whichever beat it is.
    const off: number[] = [];
    await waitFor('five beats had to wait', async () => {
      const sentAt = Date.now();
      const { status, body, tookMs } = await tell('heartbeat', { ...figures, seq: ++seq, sentAt });
      expect(status).toBe(200);
      if (tookMs > 500) off.push(Math.abs(body.serverTime - (sentAt + tookMs / 2)) / tookMs);
      return off.length === 5;
    });
    const [, , median] = off.sort((a, b) => a - b);
    expect(median).toBeLessThan(1 / 5);
  }, 60_000);
});
