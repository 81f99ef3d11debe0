import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { revisionOfSettings } from '../platform/revision.js';
import type { Witness } from '../platform/witness.js';
import { Signals, type Sql, SqlDialect } from '../ports.js';
import {
  ACTIVE_KEYS_PER_APP,
  type AccessKeyChange,
  checkKeyRules,
  type NewAccessKey,
  PARTNER_SCOPES,
  tooManyKeys,
} from './access-key-rules.js';
import { type AccessKeyRow, AccessKeysStore } from './access-keys.store.js';
import { AppsService } from './apps.service.js';
import { AppsStore } from './apps.store.js';
import { KeyCache } from './key-cache.js';
import { newKeyPair, secretTraces } from './key-material.js';
import { type LoadedKey, loadedKey } from './loaded-key.js';
import { RejectedRequestStore } from './rejected-request.store.js';
import { checkKeyring, Keyring, openSecret, SecretBoxError, sealSecret } from './secret-box.js';
import { SecretRewrapService } from './secret-rewrap.service.js';

export const KEYS_CHANGED = 'keys.changed';
const KEPT_EMBEDDED_MS = 500;

/** The keys this process was given are not those the stored secrets were sealed with. */
export class KeyringMismatchError extends Error {
  constructor(accessKey: string) {
    super(`EK_KEKS does not open the stored secret of ${accessKey}: every node needs the keys the secrets were sealed with`);
    this.name = 'KeyringMismatchError';
  }
}

/** The only time a secret is ever shown. */
export interface CreatedAccessKey {
  accessKey: string;
  secret: string;
  last4: string;
  fingerprint: string;
}

/**
 * Key pairs of partners and workers. The database is the authority; each node remembers what it read for at most 60 s and forgets it
 * at once when any node or command announces `keys.changed`. Embedded, a command beside the node has no way to tell it, so there it
 * remembers for half a second. Secrets exist in plain text only in this process's memory.
 */
@Injectable()
export class AccessKeysService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(AccessKeysService.name);
  private readonly cache: KeyCache<LoadedKey>;
  /** Ids of key-encryption keys this process was found not to have; each is logged once. */
  private readonly missingKeks = new Set<string>();
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AccessKeysStore,
    private readonly apps: AppsService,
    private readonly appsStore: AppsStore,
    private readonly keyring: Keyring,
    private readonly signals: Signals,
    private readonly clock: Clock,
    private readonly sealed: SecretRewrapService,
    private readonly rejected: RejectedRequestStore,
  ) {
    this.cache = new KeyCache(
      (accessKey) => this.loadForUse(accessKey),
      () => clock.monotonic(),
      dialect.name === 'sqlite' ? KEPT_EMBEDDED_MS : undefined,
    );
    sealed.register({
      vital: true,
      notWrappedBy: async (prefixes, after, limit) =>
        (await store.notWrappedBy(dialect.root, prefixes, Number(after ?? 0), limit)).map(
          ({ id, secretBox, accessKey, appId }) => ({
            id,
            text: secretBox,
            boxes: [secretBox],
            owner: { purpose: 'access-key', appId, accessKey },
            name: accessKey,
          }),
        ),
      replace: (tx, id, before, after) => store.replaceBox(tx, Number(id), before, after),
    });
  }

  onModuleInit(): void {
    checkKeyring(this.keyring);
    this.unsubscribe = this.signals.subscribe(KEYS_CHANGED, (message) => this.forget(message));
  }

  /**
   * Throws KeyringMismatchError unless this process's keys open the stored pairs: one wrapped by each key it knows, and none is wrapped
   * by a key it does not know. Nothing stored: nothing to compare. Returns whose other secrets do not open, of each kind the first.
   */
  async checkStoredSecrets(): Promise<string[]> {
    const foreign = await this.sealed.foreign();
    const key = foreign.find(({ vital }) => vital);
    if (key) throw new KeyringMismatchError(key.name);
    for (const id of this.keyring.ids) {
      const accessKey = await this.store.newestWrappedBy(this.dialect.root, `v1.${id}.`);
      if (accessKey !== null) await this.mustOpen(accessKey);
    }
    return foreign.map(({ name }) => name);
  }

  private async mustOpen(accessKey: string): Promise<void> {
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
    const created = await this.dialect.transaction((tx) => this.add(tx, spec, witness));
    this.announce(created.accessKey);
    return created;
  }

  private async add(tx: Sql, spec: NewAccessKey, witness?: Witness<AccessKeyRow>): Promise<CreatedAccessKey> {
    const { accessKey, secret } = newKeyPair(spec.kind === 'worker' ? 'worker' : (spec.mode ?? 'live'));
    const appId = spec.kind === 'partner' ? spec.appId : null;
    const traces = secretTraces(secret);
    checkKeyRules(spec.kind, { ...spec, scopes: spec.kind === 'partner' ? spec.scopes : undefined });
    if (appId !== null) await this.mustHaveRoom(tx, appId);
    await this.store.insert(tx, {
      accessKey,
      kind: spec.kind,
      appId,
      groupKeys: spec.groups ? JSON.stringify(spec.groups) : null,
      label: spec.label,
      secretBox: sealSecret(secret, { purpose: 'access-key', appId, accessKey }, this.keyring),
      ...traces,
      scopesJson: JSON.stringify(spec.kind === 'partner' ? (spec.scopes ?? PARTNER_SCOPES) : []),
      ipAllowJson: spec.ipAllow ? JSON.stringify(spec.ipAllow) : null,
      state: 'active',
      expiresAt: spec.expiresAt ?? null,
      lastUsedAt: null,
      createdAt: this.clock.now(),
      createdBy: spec.createdBy ?? null,
      lastUsedAddress: null,
      lastUsedEndpoint: null,
    });
    if (witness) await witness(tx, null, await this.store.find(tx, accessKey));
    return { accessKey, secret, ...traces };
  }

  /**
   * The key, disabled or expired ones included; null if there is none. Usually synchronous, from memory. Rejects with AppError
   * `service_unavailable` if its secret is wrapped by a key this node was not given: another node may have it.
   */
  find(accessKey: string): LoadedKey | null | Promise<LoadedKey | null> {
    return this.cache.get(accessKey);
  }

  /** This node knows of the key already. No answer of `false` says that there is none. */
  isKnown(accessKey: string): boolean {
    return this.cache.has(accessKey);
  }

  /** Of these names, those of keys. */
  async existing(accessKeys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(accessKeys.length === 0 ? [] : await this.store.existing(this.dialect.root, accessKeys));
  }

  /** For signing orders to a worker; null if the key does not exist or is not active. */
  async secretOf(accessKey: string): Promise<string | null> {
    const key = await this.find(accessKey);
    return key && !key.disabled ? key.secret : null;
  }

  /** Effective on every node at once, after 60 s at worst. False if there is no such key. */
  async disable(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<boolean> {
    return (await this.write(accessKey, () => ({ state: 'disabled' }), witness)) !== null;
  }

  /** As `disable`. Throws AppError `validation_failed` if the app would have more than two active keys. */
  async enable(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<boolean> {
    return (await this.write(accessKey, () => ({ state: 'active' }), witness)) !== null;
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

  /**
   * The key with what is stated changed; null if there is none, `stale` if it is not as it was at that revision. Throws AppError
   * `validation_failed`.
   */
  async change(
    accessKey: string,
    { revision, ...stated }: AccessKeyChange & { revision?: string },
    witness?: Witness<AccessKeyRow>,
  ): Promise<AccessKeyRow | 'stale' | null> {
    const text = (value: readonly string[] | null) => (value === null ? null : JSON.stringify(value));
    return this.write(
      accessKey,
      (key) => {
        if (revision !== undefined && revision !== revisionOfKey(key)) return 'stale';
        checkKeyRules(key.kind, stated);
        return {
          label: stated.label ?? key.label,
          scopesJson: stated.scopes ? JSON.stringify(stated.scopes) : key.scopesJson,
          ipAllowJson: stated.ipAllow === undefined ? key.ipAllowJson : text(stated.ipAllow),
          groupKeys: stated.groups === undefined ? key.groupKeys : text(stated.groups),
          expiresAt: stated.expiresAt === undefined ? key.expiresAt : stated.expiresAt,
        };
      },
      witness,
    );
  }

  /**
   * A second pair for the same owner with the same restrictions, an expiry to come included; null if there is no such key. `overlapMs`: the present one expires after
   * so long, unless it does before; absent, it stays until somebody disables it. Both happen or neither. Throws as `create`.
   */
  async rotate(
    accessKey: string,
    overlapMs?: number,
    witness?: Witness<AccessKeyRow>,
    createdBy?: string,
  ): Promise<CreatedAccessKey | null> {
    const now = this.clock.now();
    const created = await this.dialect.transaction(async (tx) => {
      const key = await this.store.lock(tx, accessKey, this.dialect.forUpdate);
      if (!key) return null;
      const next = await this.add(tx, { ...successorOf(key, now), createdBy }, witness);
      if (overlapMs !== undefined) {
        const expiresAt = Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs);
        const expiring = { ...key, expiresAt };
        await this.store.update(tx, expiring);
        await witness?.(tx, key, expiring);
      }
      return next;
    });
    if (created) for (const each of [accessKey, created.accessKey]) this.announce(each);
    return created;
  }

  /** Only a disabled or expired key can be deleted: who still uses it should have been told by then. */
  async remove(accessKey: string, witness?: Witness<AccessKeyRow>): Promise<'deleted' | 'not_found' | 'active'> {
    const outcome = await this.dialect.transaction(async (tx) => {
      const key = await this.store.lock(tx, accessKey, this.dialect.forUpdate);
      if (!key) return 'not_found';
      if (this.isActive(key)) return 'active';
      await this.store.remove(tx, accessKey);
      await this.rejected.removeOf(tx, accessKey);
      await witness?.(tx, key, null);
      return 'deleted';
    });
    if (outcome === 'deleted') this.announce(accessKey);
    return outcome;
  }

  /** A key as it is listed, without its secret. */
  async describe(accessKey: string): Promise<AccessKeyRow | null> {
    return this.store.find(this.dialect.root, accessKey);
  }

  /** Of one app, or, for null, of all workers. Without secrets. */
  async list(appId: number | null): Promise<AccessKeyRow[]> {
    const { root } = this.dialect;
    return appId === null ? this.store.ofWorkers(root) : this.store.ofApp(root, appId);
  }

  /** What it becomes on every node at once, after 60 s at worst; null if there is no such key. Nothing is written of a stale change. */
  private async write(
    accessKey: string,
    changeOf: (key: AccessKeyRow) => Partial<AccessKeyRow> | 'stale',
    witness?: Witness<AccessKeyRow>,
  ): Promise<AccessKeyRow | 'stale' | null> {
    const changed = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, accessKey, this.dialect.forUpdate);
      if (!before) return null;
      const change = changeOf(before);
      if (change === 'stale') return change;
      const after = { ...before, ...change };
      if (after.appId !== null && this.isActive(after) && !this.isActive(before))
        await this.mustHaveRoom(tx, after.appId, accessKey);
      await this.store.update(tx, after);
      await witness?.(tx, before, after);
      return after;
    });
    this.announce(accessKey);
    return changed;
  }

  /** Holds the app's row, so that two keys are not made active on one count. An expired key opens nothing and takes no room. */
  private async mustHaveRoom(tx: Sql, appId: number, besides?: string): Promise<void> {
    await this.appsStore.lock(tx, appId, this.dialect.forUpdate);
    const active = (await this.store.ofApp(tx, appId)).filter((key) => this.isActive(key) && key.accessKey !== besides);
    if (active.length >= ACTIVE_KEYS_PER_APP) throw tooManyKeys();
  }

  private async loadForUse(accessKey: string): Promise<LoadedKey | null> {
    try {
      return await this.load(accessKey);
    } catch (error) {
      if (!(error instanceof SecretBoxError) || error.kekId === undefined) throw error;
      const { kekId } = error;
      if (!this.missingKeks.has(kekId))
        this.logger.error('EK_KEKS of this node lacks the key that wraps secrets of access keys: it refuses their requests', {
          kek: kekId,
          accessKey,
        });
      this.missingKeks.add(kekId);
      throw new AppError(
        'service_unavailable',
        'this node cannot check signatures of the access key now; nothing was changed, try again',
      );
    }
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

/** Differs when what `change` sets differs; whether it is enabled is no part of that. */
export const revisionOfKey = ({ label, scopesJson, ipAllowJson, groupKeys, expiresAt }: AccessKeyRow): string =>
  revisionOfSettings([label, scopesJson, ipAllowJson, groupKeys, expiresAt]);

/** What a key is made from that shall replace this one. */
function successorOf(key: AccessKeyRow, now: number): NewAccessKey {
  const groups = key.groupKeys === null ? undefined : (JSON.parse(key.groupKeys) as string[]);
  const ipAllow = key.ipAllowJson === null ? undefined : (JSON.parse(key.ipAllowJson) as string[]);
  const lasting = key.expiresAt !== null && key.expiresAt > now ? { expiresAt: key.expiresAt } : {};
  const common = { label: key.label, ipAllow, ...lasting };
  if (key.appId === null) return { kind: 'worker', groups: groups ?? [], ...common };
  const scopes = JSON.parse(key.scopesJson) as string[];
  const mode = key.accessKey.startsWith('ak_test_') ? 'test' : 'live';
  return { kind: 'partner', appId: key.appId, mode, scopes, groups, ...common };
}
