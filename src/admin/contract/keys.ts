import type { Instant, Page } from './page.js';

export interface AppLimitsView {
  requestsPerSecond: number;
  requestBurst: number;
  tasksPerSecond: number;
  taskBurst: number;
  unfinishedTasks: number;
  /** Callbacks that wait to be sent; beyond them submits that state a `callbackUrl` are refused. */
  pendingCallbacks: number;
}
export interface AppView {
  id: string;
  name: string;
  defaultGroup: string;
  groups: string[];
  /** In force: its own, else the system's. */
  limits: AppLimitsView;
  createdAt: Instant;
  activeKeys: number;
  lastUsedAt: Instant | null;
}
export type AppList = Page<AppView>;
/** Body of `POST /api/apps`. */
export interface CreateApp {
  name: string;
  defaultGroup: string;
  groups?: string[];
  limits?: Partial<AppLimitsView>;
}
/** Body of `PATCH /api/apps/{id}`: what is absent stays; `limits: null` takes the system's again. */
export interface ChangeApp {
  name?: string;
  defaultGroup?: string;
  groups?: string[];
  limits?: Partial<AppLimitsView> | null;
  reason?: string;
}

export type KeyState = 'active' | 'disabled' | 'expired';
export interface KeyView {
  accessKey: string;
  kind: 'partner' | 'worker';
  /** Of a partner's key. */
  app: { id: string; name: string } | null;
  /** Of a worker's key. */
  groups: string[];
  label: string;
  /** Of the secret, which is never shown again. */
  last4: string;
  fingerprint: string;
  scopes: string[];
  /** Addresses and CIDR ranges; null for any. */
  ipAllow: string[] | null;
  state: KeyState;
  expiresAt: Instant | null;
  lastUsedAt: Instant | null;
  createdAt: Instant;
}
export interface KeyList {
  items: KeyView[];
}
/** Body of `POST /api/keys`. An app has at most two active pairs: disable one first. */
export type CreateKey = { label: string; expiresAt?: Instant; ipAllow?: string[] } & (
  | { kind: 'partner'; app: string; scopes?: string[] }
  | { kind: 'worker'; groups: string[] }
);
/** The only answer that holds the secret. */
export interface CreatedKey {
  key: KeyView;
  secret: string;
}
/**
 * Body of `POST /api/keys/{accessKey}/rotate`: a second pair with the same restrictions; the present one expires after the overlap
 * (86 400; 0 after a leak), unless it does before.
 */
export interface RotateKey {
  overlapSeconds?: number;
  reason?: string;
}
/** Body of `PATCH /api/keys/{accessKey}`: what is absent stays; null lifts a limit. */
export interface ChangeKey {
  label?: string;
  scopes?: string[];
  groups?: string[];
  ipAllow?: string[] | null;
  expiresAt?: Instant | null;
  reason?: string;
}
