import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { Witness } from '../platform/witness.js';
import { Signals, type Sql, SqlDialect } from '../ports.js';
import { type AccessKeyRow, AccessKeysStore } from './access-keys.store.js';
import { AppsService } from './apps.service.js';
import { AppsStore } from './apps.store.js';
import { KeyCache } from './key-cache.js';
import { newKeyPair, secretTraces } from './key-material.js';
import { addressList, type LoadedKey, loadedKey } from './loaded-key.js';
import { checkKeyring, Keyring, openSecret, SecretBoxError, sealSecret } from './secret-box.js';

export const PARTNER_SCOPES = ['tasks:read', 'tasks:write', 'jobs:read', 'jobs:write'] as const;
export const KEYS_CHANGED = 'keys.changed';
const ACTIVE_KEYS_PER_APP = 2;

/** The keys this process was given are not those the stored secrets were sealed with. */
export class KeyringMismatchError extends Error {
  constructor(accessKey: string) {
    super(`EK_KEKS does not open the stored secret of ${accessKey}: every node needs the keys the secrets were sealed with`);
    this.name = 'KeyringMismatchError';
  }
}

export type NewAccessKey = { label: string; expiresAt?: number; ipAllow?: readonly string[] } & (
  | { kind: 'partner'; appId: number; mode?: 'live' | 'test'; scopes?: readonly string[] }
  | { kind: 'worker'; groups: readonly string[] }
);
/** What of a key can change; JSON as it is stored. */
export type AccessKeyChange = Partial<
  Pick<AccessKeyRow, 'label' | 'scopesJson' | 'groupKeys' | 'ipAllowJson' | 'expiresAt' | 'state'>
>;
/** The only time a secret is ever shown. */
export interface CreatedAccessKey {
  accessKey: string;
  secret: string;
  last4: string;
  fingerprint: string;
}

/**
 * Key pairs of partners and workers. The database is the authority; each node remembers what it read for at most 60 s and forgets it
 * at once when any node announces `keys.changed`. Secrets exist in plain text only in this process's memory.
 */
@Injectable()
export class AccessKeysService implements OnModuleInit, OnModuleDestroy {
  private readonly cache: KeyCache<LoadedKey>;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AccessKeysStore,
    private readonly apps: AppsService,
    private readonly appsStore: AppsStore,
    private readonly keyring: Keyring,
    private readonly signals: Signals,
    private readonly clock: Clock,
  ) {
    this.cache = new KeyCache(
      (accessKey) => this.load(accessKey),
      () => clock.monotonic(),
    );
  }

  onModuleInit(): void {
    checkKeyring(this.keyring);
    this.unsubscribe = this.signals.subscribe(KEYS_CHANGED, (message) => this.forget(message));
  }

  /** Throws KeyringMismatchError unless a stored secret opens with this process's keys. Nothing stored: nothing to compare. */
  async checkStoredSecrets(): Promise<void> {
    const accessKey = await this.store.newest(this.dialect.root);
    if (accessKey === null) return;
    try {
      await this.load(accessKey);
    } catch (error) {
      if (error instanceof SecretBoxError) throw new KeyringMismatchError(accessKey);
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.unsubscribe?.();
  }

  /** An app has at most two active pairs, enough to rotate. Throws AppError `validation_failed`. */
  async create(spec: NewAccessKey, witness?: Witness<AccessKeyRow>): Promise<CreatedAccessKey> {
    const { accessKey, secret } = newKeyPair(spec.kind === 'worker' ? 'worker' : (spec.mode ?? 'live'));
    const appId = spec.kind === 'partner' ? spec.appId : null;
    const traces = secretTraces(secret);
    if (spec.ipAllow) addressList(spec.ipAllow);
    await this.dialect.transaction(async (tx) => {
      if (appId !== null) await this.checkActiveKeys(tx, appId);
      await this.store.insert(tx, {
        accessKey,
        kind: spec.kind,
        appId,
        groupKeys: spec.kind === 'worker' ? JSON.stringify(spec.groups) : null,
        label: spec.label,
        secretBox: sealSecret(secret, { purpose: 'access-key', appId, accessKey }, this.keyring),
        ...traces,
        scopesJson: JSON.stringify(spec.kind === 'partner' ? (spec.scopes ?? PARTNER_SCOPES) : []),
        ipAllowJson: spec.ipAllow ? JSON.stringify(spec.ipAllow) : null,
        state: 'active',
        expiresAt: spec.expiresAt ?? null,
        lastUsedAt: null,
        createdAt: this.clock.now(),
      });
      if (witness) await witness(tx, null, await this.store.find(tx, accessKey));
    });
    this.announce(accessKey);
    return { accessKey, secret, ...traces };
  }

  /** The key, disabled or expired ones included; null if there is none. Usually synchronous, from memory. */
  find(accessKey: string): LoadedKey | null | Promise<LoadedKey | null> {
    return this.cache.get(accessKey);
  }

  /** For signing orders to a worker; null if the key does not exist or is not active. */
  async secretOf(accessKey: string): Promise<string | null> {
    const key = await this.find(accessKey);
    return key && !key.disabled ? key.secret : null;
  }

  /** Effective on every node at once, after 60 s at worst. False if there is no such key. */
  async disable(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<boolean> {
    return (await this.change(accessKey, { state: 'disabled' }, witness)) !== null;
  }

  /** Throws AppError `validation_failed` if its app has two other active pairs. */
  async enable(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<boolean> {
    return (await this.change(accessKey, { state: 'active' }, witness)) !== null;
  }

  /** The key as changed; null if there is none. What it may do changes on every node at once, after 60 s at worst. */
  async change(accessKey: string, change: AccessKeyChange, witness?: Witness<AccessKeyRow>): Promise<AccessKeyRow | null> {
    if (change.ipAllowJson) addressList(JSON.parse(change.ipAllowJson));
    const changed = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, accessKey, this.dialect.forUpdate);
      if (!before) return null;
      const after = { ...before, ...change };
      if (before.appId !== null && this.isActive(after) && !this.isActive(before))
        await this.checkActiveKeys(tx, before.appId, accessKey);
      await this.store.update(tx, after);
      await witness?.(tx, before, after);
      return after;
    });
    this.announce(accessKey);
    return changed;
  }

  /** For good. False if there is no such key, null if it is still active: disable it first. */
  async remove(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<boolean | null> {
    const removed = await this.dialect.transaction(async (tx) => {
      const key = await this.store.lock(tx, accessKey, this.dialect.forUpdate);
      if (!key) return false;
      if (this.isActive(key)) return null;
      await this.store.remove(tx, accessKey);
      await witness?.(tx, key, null);
      return true;
    });
    this.announce(accessKey);
    return removed;
  }

  async look(accessKey: string): Promise<AccessKeyRow | null> {
    return this.store.find(this.dialect.root, accessKey);
  }

  async all(): Promise<AccessKeyRow[]> {
    return this.store.all(this.dialect.root);
  }

  isActive({ state, expiresAt }: Pick<AccessKeyRow, 'state' | 'expiresAt'>): boolean {
    return state === 'active' && (expiresAt === null || expiresAt > this.clock.now());
  }

  /** The rights or limits of an app changed: no node goes on with what it remembers of its keys. */
  appChanged(): void {
    this.cache.clear();
    this.signals.publish(KEYS_CHANGED, {});
  }

  /** Of one app, or, for null, of all workers. Without secrets. */
  async list(appId: number | null): Promise<AccessKeyRow[]> {
    const { root } = this.dialect;
    return appId === null ? this.store.ofWorkers(root) : this.store.ofApp(root, appId);
  }

  private async checkActiveKeys(tx: Sql, appId: number, except?: string): Promise<void> {
    await this.appsStore.lock(tx, appId, this.dialect.forUpdate);
    const active = (await this.store.ofApp(tx, appId)).filter((key) => this.isActive(key) && key.accessKey !== except);
    if (active.length >= ACTIVE_KEYS_PER_APP) throw tooManyKeys();
  }

  private async load(accessKey: string): Promise<LoadedKey | null> {
    const row = await this.store.load(this.dialect.root, accessKey);
    if (!row) return null;
    const app = row.appId === null ? null : await this.apps.find(row.appId);
    if (row.kind === 'partner' && !app) return null;
    const secret = openSecret(row.secretBox, { purpose: 'access-key', appId: row.appId, accessKey }, this.keyring);
    return loadedKey(row, secret, app);
  }

  private announce(accessKey: string): void {
    this.cache.forget(accessKey);
    this.signals.publish(KEYS_CHANGED, { accessKey });
  }

  private forget(message: unknown): void {
    const accessKey = (message as { accessKey?: unknown } | null)?.accessKey;
    if (typeof accessKey === 'string') this.cache.forget(accessKey);
    else this.cache.clear();
  }
}

function tooManyKeys(): AppError {
  return AppError.fields([
    { pointer: '', code: 'too_many', message: `an app has at most ${ACTIVE_KEYS_PER_APP} active keys: disable one first` },
  ]);
}
