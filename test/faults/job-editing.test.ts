import type { EvenkeelClient } from '@evenkeel/sdk/client';
import type { Backends } from '../../src/backends/backends.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { Installation } from '../support/installation.js';
import { evenlyHeld } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['pay', 'mail', 'report', 'sync'];
/** Fires a second each: so many that every node is in the middle of firing some. */
const PER_GROUP = 3;

describe('an edit on one node', () => {
  let installation: Installation;
  let backends: Backends;
  let nodes: EvenkeelClient[];
  let ids: string[];
  beforeAll(async () => {
    installation = await Installation.create('cluster', GROUPS);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await installation.startWorker({ id: 'w1', slots: 100 });
    backends = await installation.look();
    nodes = installation.nodes.map(({ url }) => installation.client(url));
    await evenlyHeld(backends, 2);
    ids = [];
    for (const group of GROUPS)
      for (let i = 0; i < PER_GROUP; i++) {
        const job = { key: `job-${i}`, group, handler: 'echo', params: { v: 1 }, schedule: { kind: 'every', everyMs: 1_000 } };
        ids.push((await client(0).createJob({ ...job, overlap: 'allow', maxParallel: 100 } as never)).id);
      }
  }, 180_000);
  afterAll(() => installation?.remove());

  const client = (i: number) => nodes[i] as EvenkeelClient;
  const made = async (id: string) =>
    backends.dialect.root.rows<{ id: string; params: string; created_at: number | string }>(
      'SELECT id, params, created_at FROM tasks WHERE job_id = ? ORDER BY created_at',
      [id],
    );
  const moreThan = (before: number[]) => async () =>
    (await Promise.all(ids.map(made))).every((tasks, i) => tasks.length > (before[i] as number));
  const counts = async () => (await Promise.all(ids.map(made))).map(({ length }) => length);

  it('is what every node fires from the answer on: no task of the old definition is made after it', async () => {
    await waitFor('all fire', moreThan(ids.map(() => 0)), 60_000);
    const madeBefore: Set<string>[] = [];
    for (const [i, id] of ids.entries()) {
      const job = {
        handler: 'echo',
        params: { v: 2 },
        schedule: { kind: 'every', everyMs: 1_000 },
        overlap: 'allow',
        maxParallel: 100,
      };
      await client(i % 2).changeJob(id, { ...job, version: 1 } as never);
      madeBefore.push(new Set((await made(id)).map((task) => task.id)));
    }
    await waitFor('all have fired after it', moreThan(await counts()), 60_000);
    for (const [i, id] of ids.entries()) {
      const after = (await made(id)).filter((task) => !madeBefore[i]?.has(task.id));
      expect(after.length).toBeGreaterThan(0);
      expect(new Set(after.map(({ params }) => params))).toEqual(new Set(['{"v":2}']));
    }
  }, 120_000);

  it('made from a version that is not the current one is refused on any node, with both versions', async () => {
    const job = { handler: 'echo', schedule: { kind: 'every', everyMs: 1_000 } };
    for (const i of [0, 1])
      await expect(client(i).changeJob(ids[0] as string, { ...job, version: 1 } as never)).rejects.toMatchObject({
        code: 'version_conflict',
        problem: { status: 409, statedVersion: 1, currentVersion: 2, current: { version: 2, overlap: 'allow' } },
      });
  });

  it('pauses a job everywhere: not one task is made until it is resumed, on the other node', async () => {
    for (const [i, id] of ids.entries()) await client(i % 2).pauseJob(id, 'maintenance');
    const paused = await counts();
    const beside = await client(0).createJob({
      key: 'beside',
      group: 'pay',
      handler: 'noop',
      schedule: { kind: 'every', everyMs: 1_000 },
    } as never);
    await waitFor('another job has fired three times', async () => (await made(beside.id)).length >= 3, 60_000);
    expect(await counts()).toEqual(paused);
    for (const [i, id] of ids.entries()) await client((i + 1) % 2).resumeJob(id);
    await waitFor('all fire again', moreThan(paused), 60_000);
    await client(1).deleteJob(beside.id);
  }, 120_000);

  it('of a group, its hold and its quota, is obeyed by the node that holds its partition', async () => {
    const { dialect, clock, signals } = backends;
    const groups = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    await groups.onApplicationBootstrap();
    try {
      for (const key of GROUPS) await groups.hold(key, 'incident', null);
      const held = await Promise.all(
        GROUPS.map((group, i) =>
          client(i % 2)
            .submit('noop', {}, { group })
            .then(({ id }) => id),
        ),
      );
      const before = await counts();
      await waitFor('jobs go on firing meanwhile', moreThan(before), 60_000);
      for (const id of held) expect(await client(0).get(id)).toMatchObject({ status: 'PENDING', reason: 'group_hold' });
      for (const key of GROUPS) await groups.release(key);
      await waitFor('all have run', async () =>
        (await Promise.all(held.map((id) => client(1).get(id)))).every(({ status }) => status === 'SUCCEEDED'),
      );
    } finally {
      await groups.onApplicationShutdown();
    }
  }, 120_000);
});
