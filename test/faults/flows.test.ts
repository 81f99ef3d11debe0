import { Installation } from '../support/installation.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['pay', 'mail', 'report', 'sync'];
const FLOWS = 12;
const JOB = { handler: 'sleep', params: { ms: 150 }, overlap: 'allow', maxParallel: 1_000 } as const;

/** Two arms of three and a join, over four groups and so over partitions of both nodes. */
const UPSTREAMS: Record<string, string[]> = {
  a1: ['root'],
  b1: ['root'],
  a2: ['a1'],
  b2: ['b1'],
  a3: ['a2', 'b2'],
  b3: ['b2'],
  end: ['a3', 'b3'],
};

describe('flows while a node is killed', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create('cluster', GROUPS);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await installation.startWorker({ id: 'w1', slots: 40 });
  }, 180_000);
  afterAll(() => installation?.remove());

  it('every job of every flow runs exactly once, and events and dependants sent meanwhile are not lost', async () => {
    const client = installation.client(installation.node('n2').url, 60_000);
    const ids: Record<string, string> = {};
    ids.root = (await client.createJob({ ...JOB, key: 'root', group: 'pay', schedule: { kind: 'event', name: 'go' } })).id;
    for (const [i, [key, upstreams]] of Object.entries(UPSTREAMS).entries()) {
      const job = { ...JOB, key, group: GROUPS[i % 4], schedule: { kind: 'upstream' } } as const;
      ids[key] = (await client.createJob({ ...job, upstreams: upstreams.map((up) => ids[up] as string) })).id;
    }
    const roots: string[] = [];
    for (let i = 0; i < FLOWS; i++) {
      roots.push(...(await client.sendEvent('go', { i }, { clientRequestId: `go-${i}` })).taskIds);
      if (i === FLOWS / 2) await installation.node('n1').process.kill();
    }
    const after = await Promise.all(roots.map((id) => client.submit('noop', null, { dependsOn: [id], group: 'sync' })));
    expect(new Set(roots).size).toBe(FLOWS);
    const flows = await waitFor(
      'all flows have ended',
      async () => {
        const found = await Promise.all(roots.map(async (flowId) => (await client.list({ flowId, limit: 200 })).items));
        return found.every((tasks) => tasks.filter(({ status }) => status === 'SUCCEEDED').length >= 9) ? found : null;
      },
      90_000,
    ).catch((error) => {
      throw new Error(`${error.message}\n${installation.output}`);
    });
    for (const tasks of flows) {
      const fromJobs = tasks.flatMap(({ jobId }) => jobId ?? []).sort();
      expect(fromJobs).toEqual(Object.values(ids).sort());
    }
    for (const { id } of after) expect((await client.wait(id, { timeoutMs: 30_000 })).status).toBe('SUCCEEDED');
    for (let i = 0; i < FLOWS; i++)
      expect((await client.sendEvent('go', { i }, { clientRequestId: `go-${i}` })).taskIds).toEqual([roots[i]]);
  }, 240_000);
});
