import { randomBytes } from 'node:crypto';
import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { PrefixProxy } from '../support/prefix-proxy.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';

const PREFIX = '/gateway/partners';
const CLIENT = '203.0.113.9';
const ADMIN_PASSWORD = randomBytes(16).toString('hex');

describe.each(ADAPTERS)('secrets and what stands in front of a node (%s)', (adapter) => {
  let installation: Installation;
  let proxy: PrefixProxy;
  let url: string;
  const answers: string[] = [];

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    const env = {
      LOG_LEVEL: 'debug',
      EVENKEEL_ADMIN_PASSWORD: ADMIN_PASSWORD,
      OPENAPI_PUBLIC_PREFIX: PREFIX,
      TRUSTED_PROXIES: '1',
    };
    ({ url } = await installation.startNode('n1', env));
    await installation.startWorker({ id: 'w1' });
    proxy = await PrefixProxy.start(url, PREFIX, CLIENT);
  }, 120_000);
  afterAll(async () => {
    await proxy?.stop();
    await installation?.remove();
  });

  type Pair = { accessKey: string; secret: string };
  const ask = async (key: Pair, method: 'GET' | 'POST', target: string, body?: unknown) => {
    const answer = await signedRequest(proxy.url, key, method, `${PREFIX}${target}`, body);
    answers.push(JSON.stringify([answer.body, [...answer.headers]]));
    return answer;
  };
  const created: Pair[] = [];
  const keys = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(['keys', ...args, '--json'], installation.database.env);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };

  it('a proxy that strips a prefix changes nothing for partners: they sign and are told the path they call', async () => {
    const receipt = await ask(installation.appKey, 'POST', '/openapi/v1/tasks', { handler: 'echo', clientRequestId: 'behind-1' });
    expect(receipt.status).toBe(202);
    const location = receipt.headers.get('location') as string;
    expect(location).toBe(`${PREFIX}/openapi/v1/tasks/${receipt.body.id}`);
    const found = await ask(installation.appKey, 'GET', `${location.slice(PREFIX.length)}?wait=10`);
    expect(found).toMatchObject({ status: 200, body: { id: receipt.body.id, status: 'SUCCEEDED' } });
    const listed = await ask(installation.appKey, 'GET', '/openapi/v1/tasks?handler=echo&limit=1');
    expect(listed).toMatchObject({ status: 200, body: { items: [{ id: receipt.body.id }] } });
    const direct = await signedRequest(url, installation.appKey, 'GET', '/openapi/v1/me');
    expect(direct).toMatchObject({ status: 401, body: { code: 'auth_failed' } });
    const { servers } = (await (await fetch(`${proxy.url}${PREFIX}/openapi/v1/openapi.json`)).json()) as { servers: object[] };
    expect(servers).toEqual([{ url: PREFIX, description: 'This server' }]);
    const refused = await ask(installation.appKey, 'POST', '/openapi/v1/tasks', { handler: 7 });
    expect(refused.body.type).toBe(`${PREFIX}/openapi/problems/validation_failed`);
    expect((await fetch(proxy.url + refused.body.type)).status).toBe(200);
  }, 60_000);

  it('an allow-list sees the client the trusted proxy names, and not what the client says of itself', async () => {
    const bound = await keys('create', '--app', 'test', '--ip', `${CLIENT}/32`);
    created.push(bound);
    expect((await ask(bound, 'GET', '/openapi/v1/me')).status).toBe(200);
    const elsewhere = await PrefixProxy.start(url, PREFIX, '198.51.100.1');
    try {
      const answer = await signedRequest(elsewhere.url, bound, 'GET', `${PREFIX}/openapi/v1/me`);
      expect(answer).toMatchObject({ status: 403, body: { code: 'ip_not_allowed' } });
    } finally {
      await elsewhere.stop();
    }
  }, 60_000);

  it('no secret is in a log, an answer, or the database', async () => {
    const second = await keys('create', '--app', 'second', '--label', 'x');
    created.push(second);
    const worker = await keys('create', '--worker');
    created.push(worker);
    await ask(second, 'GET', '/openapi/v1/me');
    await ask({ ...second, secret: `${second.secret}x` }, 'GET', '/openapi/v1/me');
    await ask(second, 'POST', '/openapi/v1/tasks/run', { handler: 'fail', retry: { kind: 'none' } });
    const careless = await fetch(`${url}/openapi/v1/me`, { headers: { 'x-ek-secret-key': second.secret } });
    answers.push(await careless.text());
    expect(careless.status).toBe(401);
    const listed = await command(['keys', 'list'], installation.database.env);
    answers.push(listed.stdout, listed.stderr, JSON.stringify(await keys('list')));
    await keys('disable', second.accessKey);
    await ask(second, 'GET', '/openapi/v1/me');

    const secrets = [installation.appKey, installation.workerKey, ...created].map(({ secret }) => secret);
    secrets.push(ADMIN_PASSWORD);
    const keks = installation.database.env.EK_KEKS;
    if (keks) secrets.push(...Object.values(JSON.parse(keks) as Record<string, string>));
    const dump = await everyRow();
    expect(dump.length).toBeGreaterThan(1_000);
    expect(dump).toContain(second.accessKey);
    const places = { answers: answers.join('\n'), logs: installation.output, processes: logs(), database: dump };
    for (const [place, text] of Object.entries(places))
      for (const secret of secrets) {
        // Not the whole of a failed comparison: that would print what must not be printed.
        expect([place, text.includes(secret), text.includes(secret.slice(8, 40))]).toEqual([place, false, false]);
      }
    expect(places.processes).not.toMatch(/v1=[0-9a-f]{64}/);
  }, 240_000);

  const logs = () => installation.nodes.map(({ process }) => process.output.join('\n')).join('\n');

  async function everyRow(): Promise<string> {
    const { dialect } = await installation.look();
    const names =
      dialect.name === 'mysql'
        ? await dialect.root.rows<{ name: string }>(
            'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
          )
        : await dialect.root.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    const tables = await Promise.all(names.map(({ name }) => dialect.root.rows(`SELECT * FROM ${name}`)));
    return JSON.stringify(tables, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  }
});
