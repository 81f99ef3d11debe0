import type { AccessKeysService } from '../../auth/access-keys.service.js';
import { appDeed } from '../../auth/app-deed.js';
import type { App } from '../../auth/apps.service.js';
import { userDeed } from '../../auth/user-deed.js';
import { hostsDeed, secretRotated } from '../../callbacks/hosts-deed.js';
import type { AdminServices } from '../admin-services.js';
import { COMMAND, commandWitness, groupWitness } from '../command-trail.js';
import { keyWitness } from '../key-trail.js';
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
  services: AdminServices,
  earlier: Credentials | null,
  adminPassword: string | undefined,
): Promise<Preparation> {
  const notes: string[] = [];
  await services.groups.ensure(GROUP, earlier ? {} : { maxRunning: MAX_RUNNING }, groupWitness(services.audit));
  const admin = await admitAdmin(services, earlier?.admin ?? null, adminPassword, notes);
  const app = (await usableApp(services, earlier)) ?? (await newApp(services, earlier !== null, notes));
  app.callbackSecret = await openCallbacks(services, app, earlier);
  const worker = (await usableWorkerKey(services, earlier)) ?? (await newWorkerKey(services, earlier !== null, notes));
  return { credentials: { admin, app, worker, group: GROUP }, notes };
}

async function admitAdmin(
  { users, audit }: AdminServices,
  earlier: Credentials['admin'] | null,
  stated: string | undefined,
  notes: string[],
): Promise<Credentials['admin']> {
  const witness = commandWitness(audit, userDeed('user.created'));
  const created = await users.ensureAdmin(stated ?? earlier?.password ?? undefined, witness);
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

async function usableApp(services: AdminServices, earlier: Credentials | null): Promise<Credentials['app'] | null> {
  if (!earlier) return null;
  const key = await services.keys.find(earlier.app.accessKey);
  const usable =
    key &&
    !key.disabled &&
    key.secret === earlier.app.secretKey &&
    key.caller.kind === 'partner' &&
    key.caller.appPublicId === earlier.app.id;
  return usable ? earlier.app : null;
}

async function newApp(services: AdminServices, replaces: boolean, notes: string[]): Promise<Credentials['app']> {
  const keys = services.keys;
  const app = (await reusableApp(services)) ?? (await createApp(services));
  const lost = await ownActive(keys, app.id);
  for (const accessKey of lost) await keys.disable(accessKey, await keyWitness(services, 'disabled'));
  const { accessKey, secret } = await keys.create(
    {
      kind: 'partner',
      mode: 'test',
      appId: app.id,
      label: LABEL,
      createdBy: COMMAND,
    },
    await keyWitness(services, 'created'),
  );
  if (replaces || lost.length > 0)
    notes.push("The demo app has a new key pair: the earlier one's secret is lost or no longer valid.");
  return { id: app.publicId, accessKey, secretKey: secret };
}

/** The demo app of an earlier start, if its limits are raised and keys of others leave room for ours. */
async function reusableApp(services: AdminServices): Promise<App | null> {
  const keys = services.keys;
  for (const app of await services.apps.list()) {
    if (app.name !== APP || app.limits.requestsPerSecond < RATE || app.limits.tasksPerSecond < RATE) continue;
    const others = (await keys.list(app.id)).filter((key) => key.state === 'active' && key.label !== LABEL);
    if (others.length < ACTIVE_KEYS_PER_APP) return app;
  }
  return null;
}

function createApp({ apps, audit }: AdminServices): Promise<App> {
  const limits = {
    requestsPerSecond: RATE,
    requestBurst: RATE,
    tasksPerSecond: RATE,
    taskBurst: RATE,
    unfinishedTasks: RATE * 100,
  };
  return apps.create({ name: APP, defaultGroup: GROUP, limits }, commandWitness(audit, appDeed('app.created')));
}

/** Lets the demo app's results go to this machine. The secret they are signed with; a lost one is replaced. */
async function openCallbacks(
  services: AdminServices,
  { id }: Credentials['app'],
  earlier: Credentials | null,
): Promise<string | undefined> {
  const app = await services.apps.findByPublicId(id);
  if (!app) return undefined;
  const hosts = services.callbackHosts;
  const present = await hosts.of(app.id);
  if (!LOOPBACK_HOSTS.every((host) => present.includes(host))) {
    const witness = commandWitness(services.audit, hostsDeed(id));
    const { secret } = await hosts.set(app.id, [...new Set([...present, ...LOOPBACK_HOSTS])], witness);
    if (secret !== null) return secret;
  }
  if (earlier?.app.id === id && earlier.app.callbackSecret) return earlier.app.callbackSecret;
  return hosts.rotateSecret(app.id, 0, async (tx) => {
    await services.audit.write(tx, { actor: COMMAND, ...secretRotated(id, 0) });
  });
}

async function usableWorkerKey(services: AdminServices, earlier: Credentials | null): Promise<Credentials['worker'] | null> {
  if (!earlier) return null;
  const key = await services.keys.find(earlier.worker.key);
  const usable =
    key &&
    !key.disabled &&
    key.secret === earlier.worker.secret &&
    key.caller.kind === 'worker' &&
    key.caller.groups.includes(GROUP);
  return usable ? earlier.worker : null;
}

async function newWorkerKey(services: AdminServices, replaces: boolean, notes: string[]): Promise<Credentials['worker']> {
  const keys = services.keys;
  const lost = await ownActive(keys, null);
  for (const accessKey of lost) await keys.disable(accessKey, await keyWitness(services, 'disabled'));
  const { accessKey, secret } = await keys.create(
    { kind: 'worker', groups: [GROUP], label: LABEL, createdBy: COMMAND },
    await keyWitness(services, 'created'),
  );
  if (replaces || lost.length > 0)
    notes.push("The worker has a new key pair: the earlier one's secret is lost or no longer valid.");
  return { key: accessKey, secret };
}

async function ownActive(keys: AccessKeysService, appId: number | null): Promise<string[]> {
  return (await keys.list(appId)).filter((key) => key.label === LABEL && key.state === 'active').map((key) => key.accessKey);
}
