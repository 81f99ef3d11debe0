import type { Deed } from '../platform/witness.js';
import type { AccessKeyRow } from './access-keys.store.js';
import type { App } from './apps.service.js';

type IsActive = (key: AccessKeyRow) => boolean;
const iso = (at: number): string => new Date(at).toISOString();

/** What of a key is set, and by nothing but a change of it; never its secret. `apps` are by database id. */
export function keySettings(row: AccessKeyRow, apps: ReadonlyMap<number, App>, isActive: IsActive) {
  const app = row.appId === null ? undefined : apps.get(row.appId);
  const state: 'active' | 'disabled' | 'expired' = row.state === 'disabled' ? 'disabled' : isActive(row) ? 'active' : 'expired';
  return {
    accessKey: row.accessKey,
    kind: row.kind,
    app: app ? { id: app.publicId, name: app.name } : null,
    groups: row.groupKeys === null ? [] : (JSON.parse(row.groupKeys) as string[]),
    label: row.label,
    last4: row.last4,
    fingerprint: row.fingerprint,
    scopes: JSON.parse(row.scopesJson) as string[],
    ipAllow: row.ipAllowJson === null ? null : (JSON.parse(row.ipAllowJson) as string[]),
    state,
    expiresAt: row.expiresAt === null ? null : iso(row.expiresAt),
    createdAt: iso(row.createdAt),
    createdBy: row.createdBy,
  };
}

/** What the log keeps of a change of a key, whoever made it. */
export function keyDeed(action: string, apps: ReadonlyMap<number, App>, isActive: IsActive): Deed<AccessKeyRow> {
  return { action, type: 'key', id: ({ accessKey }) => accessKey, show: (row) => keySettings(row, apps, isActive) };
}
