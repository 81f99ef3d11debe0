import { type AdminBrowser, PASSWORD } from '../../support/admin-browser.js';
import { type Credentials, FAST } from '../../support/installation.js';

const MOST_RUNNING = 100;

/** Makes the groups, an app with a key and a worker key as an operator does: by the admin API of the node that runs. */
export async function equipped(admin: AdminBrowser, groups: string[]): Promise<Credentials> {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  const asked = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await admin.call(method, `/api/${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  await asked('POST', 'session', { username: 'admin', password: PASSWORD });
  for (const key of groups) {
    if (key !== 'default') await asked('POST', 'groups', { key, maxRunning: MOST_RUNNING });
    else {
      const { revision } = await asked('GET', `groups/${key}`);
      await asked('PATCH', `groups/${key}`, { revision, maxRunning: MOST_RUNNING });
    }
  }
  const limits = {
    requestsPerSecond: FAST,
    requestBurst: FAST,
    tasksPerSecond: FAST,
    taskBurst: FAST,
    unfinishedTasks: FAST,
  };
  const { id } = await asked('POST', 'apps', { name: 'test', defaultGroup: groups[0], groups, limits });
  const app = await asked('POST', 'keys', { kind: 'partner', app: id, label: 'test' });
  const worker = await asked('POST', 'keys', { kind: 'worker', groups, label: 'test' });
  const { secret } = await asked('PUT', `apps/${id}/callbacks`, { hosts: ['127.0.0.1', 'localhost'] });
  return { app: pairOf(app), worker: pairOf(worker), callbackSecret: secret };
}

const pairOf = ({ key, secret }: { key: { accessKey: string }; secret: string }) => ({ accessKey: key.accessKey, secret });
