import { Process } from '../support/processes.js';
import { type FreshDatabase, freshDatabase } from '../support/services.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

describe('the start of a node', () => {
  let database: FreshDatabase;
  const proxies: TcpProxy[] = [];
  const started: Process[] = [];

  beforeAll(async () => {
    database = await freshDatabase('cluster');
  });
  afterAll(async () => {
    await Promise.all(started.map((process) => process.kill()));
    for (const proxy of proxies) await proxy.cut();
    await database?.drop();
  });

  /** A node that may never be ready; its output and its end are what the test looks at. */
  const launch = (env: Record<string, string>): Process => {
    const process = Process.launch('node', ['start'], { ...database.env, PORT: '0', ...env });
    started.push(process);
    return process;
  };
  const unreachable = async (variable: 'DATABASE_URL' | 'REDIS_URL') => {
    const direct = new URL(database.env[variable] as string);
    const proxy = await TcpProxy.before({ hostname: direct.hostname, port: direct.port });
    proxies.push(proxy);
    await proxy.cut();
    return { proxy, url: proxy.through(direct) };
  };

  it.each([
    ['PORT', '70000'],
    ['LOG_LEVEL', 'loud'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['REDIS_URL', ''],
    ['EK_KEKS', 'not-json-but-secret'],
    ['DEFAULT_TIMEZONE', 'Mars/Olympus'],
  ])('ends with exit code 2 and names %s when it is %p', async (variable, value) => {
    const node = launch({ [variable]: value });
    expect(await node.end()).toBe(2);
    expect(node.output.join('\n')).toContain(variable);
    expect(node.output.join('\n')).not.toContain('secret');
  });

  it('ends when MySQL refuses its password, naming the place and not the password', async () => {
    const wrong = new URL(database.env.DATABASE_URL as string);
    wrong.password = 'a-wrong-pass-phrase';
    const node = launch({ DATABASE_URL: wrong.href });
    expect(await node.end()).toBeGreaterThan(0);
    expect(node.output.join('\n')).toContain(`mysql at ${wrong.host}${wrong.pathname}`);
    expect(node.output.join('\n')).not.toContain(wrong.password);
  });

  it('on a database without our tables names the command that makes them', async () => {
    const node = launch({});
    expect(await node.end()).not.toBe(0);
    expect(node.output.join('\n')).toContain('npx evenkeel migrate');
  });

  it('waits for MySQL and for Redis, says for which and where, and starts when both are there', async () => {
    await database.open();
    const mysql = await unreachable('DATABASE_URL');
    const redis = await unreachable('REDIS_URL');
    const node = launch({ DATABASE_URL: mysql.url.href, REDIS_URL: redis.url.href });
    await waitFor('it tells of MySQL', () => waitsFor(node, 'mysql', mysql.url.host), 30_000);
    await mysql.proxy.restore();
    await waitFor('it tells of Redis', () => waitsFor(node, 'redis', redis.url.host), 30_000);
    expect(node.hasEnded).toBe(false);
    expect(node.ready).toBe(false);
    await redis.proxy.restore();
    await waitFor('it listens', () => node.ready, 30_000);
    expect(await node.stop()).toBe(0);
  }, 90_000);
});

/** A warning that names the service and its address. */
function waitsFor(node: Process, service: string, host: string): boolean {
  return node.output.some((line) => line.includes('waiting for a service') && line.includes(service) && line.includes(host));
}
