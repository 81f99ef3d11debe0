import { setTimeout as pause } from 'node:timers/promises';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { waitFor } from '../support/wait-for.js';

const RUNS_MS = 2_500;
const MOST = { skip: 1, queue: 1, replace: 1, allow: 2 } as const;
type Rule = keyof typeof MOST;
const RULES = Object.keys(MOST) as Rule[];
const UNDISTURBED_MS = 6_000;
/** A killed worker is lost 20 s after its last beat; what it ran keeps its place until then. Several times over. */
const GOES_ON_WITHIN_MS = 100_000;

describe('jobs of every second whose runs take longer, on three nodes and three workers', () => {
  let installation: Installation;
  const servers = {} as Record<Rule, CountingServer>;
  const jobs = {} as Record<Rule, string>;

  beforeAll(async () => {
    for (const rule of RULES) servers[rule] = await CountingServer.start(RUNS_MS);
    installation = await Installation.create('cluster', ['a', 'b', 'c', 'd']);
    await Promise.all(['n1', 'n2', 'n3'].map((id) => installation.startNode(id)));
    await Promise.all(['w1', 'w2'].map((id) => installation.startWorker({ id, slots: 10 })));
    const client = installation.client(installation.node('n3').url);
    for (const [i, overlap] of RULES.entries()) {
      const { id } = await client.createJob({
        key: overlap,
        group: installation.groups[i],
        handler: 'http',
        params: { url: servers[overlap].url('/') },
        schedule: { kind: 'every', everyMs: 1_000 },
        ...{ overlap, maxParallel: overlap === 'allow' ? MOST.allow : 1 },
      } as never);
      jobs[overlap] = id;
    }
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    for (const rule of RULES) await servers[rule]?.stop();
  });

  const ran = () => RULES.map((rule) => servers[rule].total);

  it('never run more at once in the whole installation than their rule allows, though a node and a worker are killed', async () => {
    const doomed = await installation.startWorker({ id: 'w3', slots: 10 });
    await waitFor('each has run', () => ran().every((n) => n >= 2));
    await pause(UNDISTURBED_MS);
    await doomed.kill();
    await installation.node('n1').process.kill();
    const before = ran();
    await waitFor('each goes on', () => ran().every((n, i) => n >= (before[i] as number) + 3), GOES_ON_WITHIN_MS).catch(
      (error) => {
        throw new Error(`${error.message}: ${before} then ${ran()}\n${installation.output}`);
      },
    );
    for (const rule of RULES) expect([rule, servers[rule].mostAtOnce]).toEqual([rule, MOST[rule]]);
  }, 240_000);

  it('record what was left out, queued or replaced', async () => {
    const { dialect } = await installation.look();
    const reasons = async (rule: Rule) => {
      const rows = await dialect.root.rows<{ reason: string | null }>('SELECT DISTINCT reason FROM tasks WHERE job_id = ?', [
        jobs[rule],
      ]);
      return rows.map(({ reason }) => reason);
    };
    expect(await reasons('skip')).toContain('overlap');
    expect(await reasons('allow')).toContain('overlap');
    expect(await reasons('replace')).toContain('replaced');
    expect(await reasons('queue')).not.toContain('overlap');
  });
});
