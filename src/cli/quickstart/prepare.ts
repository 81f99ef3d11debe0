import type { INestApplicationContext } from '@nestjs/common';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import { type App, AppsService } from '../../auth/apps.service.js';
import { UsersService } from '../../auth/users.service.js';
import { CallbackHostsService } from '../../callbacks/callback-hosts.service.js';
import { GroupsService } from '../../jobs/groups.service.js';
import type { Credentials } from './quickstart-file.js';

const GROUP = 'default';
const MAX_RUNNING = 1000;
const APP = 'quickstart';
const LABEL = 'quickstart';
const RATE = 10_000;
const ACTIVE_KEYS_PER_APP = 2;
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost'];

export interface Preparation {
  credentials: Credentials;
  /** What somebody who knew the earlier ones has to know. */
  notes: string[];
}

/**
 * Sees to it that group, admin, demo app and worker key exist, and uses again what an earlier start made as far as the database still
 * agrees with it. A secret that is lost is replaced, and the key it belonged to disabled, so starts never pile up keys.
 */
export async function prepare(
  context: INestApplicationContext,
  earlier: Credentials | null,
  adminPassword: string | undefined,
): Promise<Preparation> {
  const notes: string[] = [];
  await context.get(GroupsService).ensure(GROUP, earlier ? {} : { maxRunning: MAX_RUNNING });
  const admin = await admitAdmin(context.get(UsersService), earlier?.admin ?? null, adminPassword, notes);
  const app = (await usableApp(context, earlier)) ?? (await newApp(context, earlier !== null, notes));
  app.callbackSecret = await openCallbacks(context, app, earlier);
  const worker = (await usableWorkerKey(context, earlier)) ?? (await newWorkerKey(context, earlier !== null, notes));
  return { credentials: { admin, app, worker, group: GROUP }, notes };
}

async function admitAdmin(
  users: UsersService,
  earlier: Credentials['admin'] | null,
  stated: string | undefined,
  notes: string[],
): Promise<Credentials['admin']> {
  const created = await users.ensureAdmin(stated ?? earlier?.password ?? undefined);
  if (created) return { username: created.username, password: created.password };
  const username = earlier?.username ?? 'admin';
  for (const password of [earlier?.password, stated]) {
    if (password && (await users.authenticate(username, password))) return { username, password };
  }
  notes.push(
    `The password of ${username} is not known here and stays as it is. To set a new one: npx evenkeel users set-password ${username}`,
  );
  return { username, password: null };
}

async function usableApp(context: INestApplicationContext, earlier: Credentials | null): Promise<Credentials['app'] | null> {
  if (!earlier) return null;
  const key = await context.get(AccessKeysService).find(earlier.app.accessKey);
  const usable =
    key &&
    !key.disabled &&
    key.secret === earlier.app.secretKey &&
    key.caller.kind === 'partner' &&
    key.caller.appPublicId === earlier.app.id;
  return usable ? earlier.app : null;
}

async function newApp(context: INestApplicationContext, replaces: boolean, notes: string[]): Promise<Credentials['app']> {
  const keys = context.get(AccessKeysService);
  const app = (await reusableApp(context)) ?? (await createApp(context.get(AppsService)));
  const lost = await ownActive(keys, app.id);
  for (const accessKey of lost) await keys.disable(accessKey);
  const { accessKey, secret } = await keys.create({
    kind: 'partner',
    mode: 'test',
    appId: app.id,
    label: LABEL,
    createdBy: 'command',
  });
  if (replaces || lost.length > 0)
    notes.push("The demo app has a new key pair: the earlier one's secret is lost or no longer valid.");
  return { id: app.publicId, accessKey, secretKey: secret };
}

/** The demo app of an earlier start, if its limits are raised and keys of others leave room for ours. */
async function reusableApp(context: INestApplicationContext): Promise<App | null> {
  const keys = context.get(AccessKeysService);
  for (const app of await context.get(AppsService).list()) {
    if (app.name !== APP || app.limits.requestsPerSecond < RATE || app.limits.tasksPerSecond < RATE) continue;
    const others = (await keys.list(app.id)).filter((key) => key.state === 'active' && key.label !== LABEL);
    if (others.length < ACTIVE_KEYS_PER_APP) return app;
  }
  return null;
}

function createApp(apps: AppsService): Promise<App> {
  const limits = {
    requestsPerSecond: RATE,
    requestBurst: RATE,
    tasksPerSecond: RATE,
    taskBurst: RATE,
    unfinishedTasks: RATE * 100,
  };
  return apps.create({ name: APP, defaultGroup: GROUP, limits });
}

/** Lets the demo app's results go to this machine. The secret they are signed with; a lost one is replaced. */
async function openCallbacks(
  context: INestApplicationContext,
  { id }: Credentials['app'],
  earlier: Credentials | null,
): Promise<string | undefined> {
  const app = await context.get(AppsService).findByPublicId(id);
  if (!app) return undefined;
  const hosts = context.get(CallbackHostsService);
  const { secret } = await hosts.set(app.id, [...new Set([...(await hosts.of(app.id)), ...LOOPBACK_HOSTS])]);
  if (secret !== null) return secret;
  return earlier?.app.id === id && earlier.app.callbackSecret ? earlier.app.callbackSecret : hosts.rotateSecret(app.id, 0);
}

async function usableWorkerKey(
  context: INestApplicationContext,
  earlier: Credentials | null,
): Promise<Credentials['worker'] | null> {
  if (!earlier) return null;
  const key = await context.get(AccessKeysService).find(earlier.worker.key);
  const usable =
    key &&
    !key.disabled &&
    key.secret === earlier.worker.secret &&
    key.caller.kind === 'worker' &&
    key.caller.groups.includes(GROUP);
  return usable ? earlier.worker : null;
}

async function newWorkerKey(
  context: INestApplicationContext,
  replaces: boolean,
  notes: string[],
): Promise<Credentials['worker']> {
  const keys = context.get(AccessKeysService);
  const lost = await ownActive(keys, null);
  for (const accessKey of lost) await keys.disable(accessKey);
  const { accessKey, secret } = await keys.create({ kind: 'worker', groups: [GROUP], label: LABEL, createdBy: 'command' });
  if (replaces || lost.length > 0)
    notes.push("The worker has a new key pair: the earlier one's secret is lost or no longer valid.");
  return { key: accessKey, secret };
}

async function ownActive(keys: AccessKeysService, appId: number | null): Promise<string[]> {
  return (await keys.list(appId)).filter((key) => key.label === LABEL && key.state === 'active').map((key) => key.accessKey);
}
