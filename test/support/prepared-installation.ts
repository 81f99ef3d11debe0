import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { CallbackHostsService } from '../../src/callbacks/callback-hosts.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import type { Config } from '../../src/platform/config.js';
import { type Credentials, FAST } from './installation.js';

/** Groups, an app with a key and a worker key, by the services the commands use. */
export async function prepareInstallation(config: Config, groups: string[], maxRunning: number): Promise<Required<Credentials>> {
  const context: INestApplicationContext = await NestFactory.createApplicationContext(AdminModule.forRoot(config), {
    logger: false,
  });
  try {
    for (const key of groups) await context.get(GroupsService).ensure(key, { maxRunning });
    const limits = {
      requestsPerSecond: FAST,
      requestBurst: FAST,
      tasksPerSecond: FAST,
      taskBurst: FAST,
      unfinishedTasks: FAST,
    };
    const app = await context.get(AppsService).create({ name: 'test', defaultGroup: groups[0] as string, groups, limits });
    const appKey = await context.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'test' });
    const workerKey = await context.get(AccessKeysService).create({ kind: 'worker', groups, label: 'test' });
    const { secret } = await context.get(CallbackHostsService).set(app.id, ['127.0.0.1', 'localhost']);
    return { app: appKey, worker: workerKey, appId: app.id, callbackSecret: secret as string };
  } finally {
    await context.close();
  }
}
