import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { Installation } from '../support/installation.js';
import { PrivateRedis } from '../support/private-redis.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

const BURST = 40;
/** One unit in seventeen minutes: none comes back while the test runs. */
const LIMITS = { requestsPerSecond: 0.001, requestBurst: BURST };

describe('the limit of an app on two nodes whose Redis is away', () => {
  let installation: Installation;
  let redis: PrivateRedis;
  let key: { accessKey: string; secret: string };

  beforeAll(async () => {
    redis = await PrivateRedis.start();
    installation = await Installation.create('cluster');
    const context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), {
      logger: false,
    });
    const app = await context.get(AppsService).create({ name: 'limited', defaultGroup: 'default', limits: LIMITS });
    key = await context.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'test' });
    await context.close();
    for (const id of ['n1', 'n2']) await installation.startNode(id, { REDIS_URL: redis.url.href });
    const { dialect } = await installation.look();
    await waitFor('both nodes hold their share of the partitions', async () => {
      const rows = await dialect.root.rows<{ n: number | string }>(
        'SELECT COUNT(*) AS n FROM partitions WHERE holder IS NOT NULL GROUP BY holder',
      );
      return rows.length === 2 && rows.every(({ n }) => Number(n) === 8);
    });
    await redis.stop();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await redis?.stop();
  });

  const statuses = async (id: string) => {
    const { url } = installation.node(id);
    const answers = await Promise.all(Array.from({ length: BURST }, () => signedRequest(url, key, 'GET', '/openapi/v1/me')));
    return answers.map(({ status }) => status).sort();
  };

  it('is divided among them, so that all together let no more through than it allows', async () => {
    const half = [...Array(BURST / 2).fill(200), ...Array(BURST / 2).fill(429)];
    expect(await statuses('n1')).toEqual(half);
    expect(await statuses('n2')).toEqual(half);
  }, 60_000);
});
