import { command } from '../support/command.js';
import { Installation } from '../support/installation.js';
import { redisUrl } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const ROUNDS = 2;
/** A node forgets what it knows of a key after a minute: what it learns sooner it was told. */
const TOLD_MS = 30_000;

describe('what a command changes (cluster)', () => {
  let installation: Installation;
  let redis: TcpProxy;
  let url: string;
  let throughProxy: Record<string, string>;

  beforeAll(async () => {
    installation = await Installation.create('cluster');
    ({ url } = await installation.startNode('n1'));
    const direct = redisUrl();
    redis = await TcpProxy.before({ hostname: direct.hostname, port: direct.port || 6379 });
    throughProxy = { ...installation.database.env, REDIS_URL: redis.through(direct).href };
  }, 120_000);
  afterAll(async () => {
    await redis?.cut();
    await installation?.remove();
  });

  const keys = (...args: string[]) => command(['keys', ...args], throughProxy);
  const codeOf = async (key: { accessKey: string; secret: string }) =>
    (await signedRequest(url, key, 'GET', '/openapi/v1/me')).body.code ?? 'ok';

  it('is known to running nodes when the command has ended, however far away Redis is', async () => {
    redis.delayMs = 20;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const made = await keys('create', '--app', `round-${round}`, '--json');
        const key = JSON.parse(made.stdout);
        expect(await codeOf(key)).toBe('ok');
        for (const [action, answer] of [
          ['disable', 'key_disabled'],
          ['enable', 'ok'],
          ['disable', 'key_disabled'],
          ['delete', 'auth_failed'],
        ] as const) {
          expect(await keys(action, key.accessKey)).toMatchObject({ code: 0, stderr: '' });
          await waitFor(`the node answers ${answer}`, async () => (await codeOf(key)) === answer, TOLD_MS);
        }
      }
    } finally {
      redis.delayMs = 0;
    }
  }, 240_000);

  it('is kept without Redis, and the command says that running nodes were not told', async () => {
    const key = JSON.parse((await keys('create', '--app', 'untold', '--json')).stdout);
    await redis.cut();
    try {
      const disabled = await keys('disable', key.accessKey, '--json');
      expect(disabled).toMatchObject({ code: 4, stderr: expect.stringContaining('running nodes could not be told') });
      expect(JSON.parse(disabled.stdout)).toMatchObject({ accessKey: key.accessKey, state: 'disabled' });
      const listed = await keys('list', '--json');
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ accessKey: key.accessKey, state: 'disabled' }));
    } finally {
      await redis.restore();
    }
  }, 240_000);
});
