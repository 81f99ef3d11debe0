import { BlockList, isIP } from 'node:net';
import type { KeyFacts } from '../decisions/verify-request.js';
import type { PartnerCaller, WorkerCaller } from '../platform/audience.js';
import type { AccessKeyRow } from './access-keys.store.js';
import type { App } from './apps.service.js';

/** A key ready to verify with, its caller built once and shared by all its requests: nobody may change it. */
export interface LoadedKey extends KeyFacts {
  accessKey: string;
  caller: PartnerCaller | WorkerCaller;
}

/** `app` is the one the key belongs to; null for a worker's key. */
export function loadedKey(row: AccessKeyRow, secret: string, app: App | null): LoadedKey {
  const allowed = row.ipAllowJson ? addressList(JSON.parse(row.ipAllowJson) as string[]) : null;
  return {
    accessKey: row.accessKey,
    secret,
    disabled: row.state !== 'active',
    expiresAt: row.expiresAt,
    allowsIp: (ip) => allowed === null || contains(allowed, ip),
    caller: Object.freeze(app ? partner(row, app) : worker(row)),
  };
}

/** A key may be granted fewer groups than its app, never more. */
function partner(row: AccessKeyRow, app: App): PartnerCaller {
  const narrowedTo = row.groupKeys === null ? null : (JSON.parse(row.groupKeys) as string[]);
  return {
    kind: 'partner',
    accessKey: row.accessKey,
    appId: app.id,
    appPublicId: app.publicId,
    appName: app.name,
    defaultGroup: app.defaultGroup,
    groups: narrowedTo === null ? app.groups : app.groups.filter((key) => narrowedTo.includes(key)),
    narrowedTo,
    scopes: JSON.parse(row.scopesJson) as string[],
    limits: app.limits,
  };
}

function worker(row: AccessKeyRow): WorkerCaller {
  return { kind: 'worker', accessKey: row.accessKey, groups: JSON.parse(row.groupKeys ?? '[]') as string[] };
}

/** Of addresses and CIDR ranges. Throws RangeError naming the first that is neither. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address);
    const prefix = bits === undefined ? (family === 4 ? 32 : 128) : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (more.length > 0 || family === 0 || prefix < 0 || prefix > (family === 4 ? 32 : 128))
      throw new RangeError(`${entry} is not an address or CIDR range`);
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** A dual-stack socket reports IPv4 clients as `::ffff:a.b.c.d`. */
function contains(list: BlockList, ip: string): boolean {
  const address = ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4 ? ip.slice(7) : ip;
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
