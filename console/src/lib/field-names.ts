import type { MessageKey } from '../i18n/areas';

/** Fields of requests by their place, as the forms of the console call them. */
const NAMES: Record<string, MessageKey> = {
  username: 'login.username',
  password: 'login.password',
  currentPassword: 'me.currentPassword',
  newPassword: 'me.newPassword',
  role: 'users.role',
  grants: 'users.grants',
  reason: 'audit.reason',
  until: 'backfill.until',
  group: 'task.group',
  key: 'fieldName.key',
  groups: 'workers.groups',
  label: 'keys.label',
  scopes: 'keys.scopes',
  ipAllow: 'keys.ipAllow',
  expiresAt: 'keys.expires',
  hosts: 'keys.hosts',
  defaultGroup: 'keys.defaultGroup',
  maxRunning: 'groups.maxRunning',
  maxPending: 'groups.maxPending',
  maxDispatchRate: 'groups.rate',
  routing: 'groups.routing',
  handler: 'jobs.handler',
  paramsText: 'task.params',
  owner: 'jobs.owner',
  tags: 'workers.tags',
  description: 'jobs.description',
  callbackUrl: 'jobs.callbackUrl',
  overlap: 'jobs.overlap',
  maxParallel: 'jobs.maxParallel',
  misfire: 'jobs.misfire',
  misfireWindowMs: 'jobs.misfireWindow',
  timeoutMs: 'jobs.timeoutSeconds',
  priority: 'task.priority',
  retry: 'jobs.retry',
  repeatable: 'jobs.repeatable',
  shards: 'jobs.shards',
  onShardFailure: 'jobs.onShardFailure',
  workerTags: 'jobs.workerTags',
  workerZone: 'jobs.workerZone',
  timeZone: 'jobs.zone',
  upstreams: 'jobs.waitsFor',
  fileText: 'transfer.text',
  schedule: 'jobs.schedule',
  'schedule/kind': 'jobs.kind',
  'schedule/expression': 'jobs.schedule',
  'schedule/timeZone': 'jobs.zone',
  'schedule/everyMs': 'jobs.everySeconds',
  'schedule/delayMs': 'jobs.delaySeconds',
  'schedule/at': 'jobs.at',
  'schedule/startAt': 'jobs.startAt',
  'schedule/endAt': 'jobs.endAt',
  'schedule/jitterMs': 'jobs.jitter',
  'schedule/name': 'jobs.eventName',
  'query/cursor': 'fieldName.cursor',
};

/** What a pointer leads to: of an object of a list, from that object on; without the places within lists. */
export const fieldPath = (pointer: string): string =>
  pointer
    .replace(/^\/(?:jobs|groups|items)\/\d+(?=\/)/, '')
    .split('/')
    .slice(1)
    .filter((part) => !/^\d+$/.test(part))
    .join('/');

/** The name of the field a pointer leads to, or of what it is a part of; null where the console has none. */
export function fieldName(pointer: string): MessageKey | null {
  const path = fieldPath(pointer);
  const parts = path.replace(/^query\/(?!cursor$)/, '').split('/');
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('/');
    if (Object.hasOwn(NAMES, key)) return NAMES[key] as MessageKey;
  }
  return null;
}
