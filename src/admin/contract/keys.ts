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
  /** Where its results may go; none: no callback at all. */
  callbackHosts: string[];
  /** Goes back with a change. */
  revision: string;
}
export type AppList = Page<AppView>;
/** Body of `POST /api/apps`. */
export interface CreateApp {
  name: string;
  defaultGroup: string;
  groups?: string[];
  limits?: Partial<AppLimitsView>;
}
/**
 * Body of `PATCH /api/apps/{id}`: what is absent stays; `limits: null` takes the system's again. With the `revision` that was read, a change
 * somebody else made since is not undone: 409 `version_conflict` with member `current` (AppView).
 */
export interface ChangeApp {
  revision?: string;
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
  /** The newer active key of its partner, which takes over from it while both are good. */
  successor: string | null;
  lastUsedAt: Instant | null;
  /** Where it was used last, and for what: method and route. Null if it was not, or not since this is kept. */
  lastUsedAddress: string | null;
  lastUsedEndpoint: string | null;
  /** In this hour and the twenty-three before it; null: no request. */
  lastDay: KeyFigures | null;
  /** Of its partner: where results may go. */
  callbackHosts: string[];
  createdAt: Instant;
  /** `user:<name>`, or what the audit log calls a command; null if that was not kept. */
  createdBy: string | null;
  /** Of what a change sets; goes back with it. */
  revision: string;
}
export interface KeyFigures {
  requests: number;
  /** Answered 4xx or 5xx, the refused ones included. */
  failed: number;
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
/** Body of `PATCH /api/keys/{accessKey}`: what is absent stays; null lifts a limit. `revision` as of ChangeApp, `current` a KeyView. */
export interface ChangeKey {
  revision?: string;
  label?: string;
  scopes?: string[];
  groups?: string[];
  ipAllow?: string[] | null;
  expiresAt?: Instant | null;
  reason?: string;
}

/** A request that was refused at the door. Neither its body nor a secret is kept. */
export interface RejectedRequest {
  id: string;
  at: Instant;
  /** As it was sent; empty for none or one that is malformed. */
  accessKey: string;
  /** The key exists. */
  known: boolean;
  /** Why: a problem code of the partner document. */
  code: string;
  detail: string;
  method: string;
  /** Path and query, as they were verified. */
  target: string;
  address: string;
  /** The node that refused it. */
  node: string;
  timestamp: string | null;
  nonce: string | null;
  /** Only of a signature that matched nothing. */
  signature: string | null;
  /** SHA-256 of the body that arrived, where its signature was looked at. */
  bodyDigest: string | null;
  bodyBytes: number;
  /** How many more like it came at the same moment. */
  more: number;
}
/**
 * Answer of `GET /api/rejected-requests?key=` or `?app=` (of all its keys): of each key the latest hundred, newest first. And of
 * `GET /api/rejected-requests/unknown`: the latest two hundred with keys that do not exist.
 */
export type RejectedRequests = Page<RejectedRequest>;
