import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService, KeyringMismatchError } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { KeyUsage } from '../../src/auth/key-usage.js';
import { SecretRewrapService } from '../../src/auth/secret-rewrap.service.js';
import { CallbackHostsService } from '../../src/callbacks/callback-hosts.service.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { WebhookSecrets } from '../../src/callbacks/webhook-secrets.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { loadConfig } from '../../src/platform/config.js';
import { SqlDialect } from '../../src/ports.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';

const KEKS = Object.fromEntries(['old', 'new', 'other'].map((id) => [id, randomBytes(32).toString('base64')]));
const keks = (current: string, ...ids: string[]) => ({
  EK_KEKS: JSON.stringify(Object.fromEntries([current, ...ids].map((id) => [id, KEKS[id]]))),
  EK_KEK_CURRENT: current,
});

describe.each(ADAPTERS)('access keys (%s)', (adapter) => {
  let database: FreshDatabase;
  const contexts: INestApplicationContext[] = [];
  let keys: AccessKeysService;
  let apps: AppsService;

  /** As a process with these keys has it. */
  async function processWith(env: Record<string, string>): Promise<INestApplicationContext> {
    const context = await NestFactory.createApplicationContext(AdminModule.forRoot(loadConfig({ ...database.env, ...env })), {
      logger: false,
      abortOnError: false,
    });
    contexts.push(context);
    return context;
  }

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    if (adapter === 'cluster') await database.open(keks('old'));
    const context = await processWith(keks('old'));
    keys = context.get(AccessKeysService);
    apps = context.get(AppsService);
  }, 60_000);
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await database?.drop();
  });

  const newApp = async () => (await apps.create({ name: 'app', defaultGroup: 'default', groups: ['reports'] })).id;
  const create = (appId: number, more: object = {}) => keys.create({ kind: 'partner', appId, label: 'x', ...more });
  const full = expect.objectContaining({ code: 'validation_failed' });

  it('are two active ones of an app at most, however many are created or enabled at once', async () => {
    const appId = await newApp();
    const created = await Promise.allSettled(Array.from({ length: 6 }, () => create(appId)));
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const { accessKey } of await keys.list(appId)) await keys.disable(accessKey);
    await create(appId);
    const enabled = await Promise.allSettled((await keys.list(appId)).map(({ accessKey }) => keys.enable(accessKey)));
    expect(enabled.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(1);
    expect((await keys.list(appId)).filter(({ state }) => state === 'active')).toHaveLength(2);
  });

  it('are rotated: a second with the same restrictions, the first disabled, then deleted', async () => {
    const appId = await newApp();
    const expiresAt = Date.now() + 86_400_000;
    const restricted = { scopes: ['tasks:read'], ipAllow: ['203.0.113.0/24'], groups: ['reports'], expiresAt };
    const first = await create(appId, { mode: 'test', ...restricted });
    const second = await keys.rotate(first.accessKey);
    expect(second?.accessKey).toMatch(/^ak_test_/);
    expect(second?.secret).not.toBe(first.secret);
    await expect(keys.rotate(first.accessKey)).rejects.toEqual(full);
    const [, described] = await keys.list(appId);
    expect(described).toMatchObject({
      scopesJson: '["tasks:read"]',
      ipAllowJson: '["203.0.113.0/24"]',
      groupKeys: '["reports"]',
      expiresAt,
    });
    expect(await keys.remove(first.accessKey)).toBe('active');
    await keys.disable(first.accessKey);
    expect(await keys.remove(first.accessKey)).toBe('deleted');
    expect(await keys.remove(first.accessKey)).toBe('not_found');
    expect(await keys.find(first.accessKey)).toBeNull();
    expect((await keys.find(second?.accessKey as string))?.secret).toBe(second?.secret);
    expect(await keys.rotate('ak_test_0123456789abcdef0123')).toBeNull();
  });

  it('overlap with their successor for as long as was asked, and never longer than they were good for', async () => {
    const appId = await newApp();
    const now = Date.now();
    const soon = now + 60_000;
    for (const [overlapMs, present, least, most] of [
      [3_600_000, undefined, now + 3_600_000, Date.now() + 3_660_000],
      [3_600_000, soon, soon, soon],
    ] as const) {
      const { accessKey } = await create(appId, present === undefined ? {} : { expiresAt: present });
      const told: [string | undefined, string | undefined][] = [];
      const next = await keys.rotate(accessKey, overlapMs, async (_, before, after) => {
        told.push([before?.accessKey, after?.accessKey]);
      });
      expect(told).toEqual([
        [undefined, next?.accessKey],
        [accessKey, accessKey],
      ]);
      const row = await keys.describe(accessKey);
      expect(row?.expiresAt).toBeGreaterThanOrEqual(least);
      expect(row?.expiresAt).toBeLessThanOrEqual(most);
      for (const key of await keys.list(appId)) await keys.disable(key.accessKey);
    }
    const { accessKey } = await create(appId);
    await keys.rotate(accessKey, 0);
    expect(keys.isActive((await keys.describe(accessKey)) as never)).toBe(false);
  });

  it('change nothing when their successor has no room', async () => {
    const appId = await newApp();
    const { accessKey } = await create(appId);
    await create(appId);
    await expect(keys.rotate(accessKey, 0)).rejects.toEqual(full);
    expect(await keys.describe(accessKey)).toMatchObject({ state: 'active', expiresAt: null });
  });

  if (adapter === 'cluster')
    it('are written down as used without waiting for who holds one of them; that one has its turn in the next round', async () => {
      const appId = await newApp();
      const { accessKey: held } = await create(appId);
      const { accessKey: free } = await create(appId);
      const context = await processWith(keks('old'));
      const [usage, dialect] = [context.get(KeyUsage, { strict: false }), context.get(SqlDialect)];
      const at = Date.now();
      const used = (accessKey: string, when = at) => ({ accessKey, at: when, address: '127.0.0.1', endpoint: 'GET /' });
      const seen = () => Promise.all([held, free].map(async (key) => (await keys.describe(key))?.lastUsedAt));
      for (const accessKey of [held, free]) usage.note(used(accessKey));
      await dialect.transaction(async (tx) => {
        await tx.rows(`SELECT access_key FROM access_keys WHERE access_key = ? ${dialect.forUpdate}`, [held]);
        await usage.flush();
        expect(await seen()).toEqual([null, at]);
      });
      await usage.flush();
      expect(await seen()).toEqual([at, at]);
      // Another node has written of a later use meanwhile.
      usage.note(used(held, at - 1));
      await usage.flush();
      expect(await seen()).toEqual([at, at]);
    });

  it('that have expired take no room', async () => {
    const appId = await newApp();
    await create(appId, { expiresAt: Date.now() - 1 });
    await create(appId, { expiresAt: Date.now() - 1 });
    await create(appId);
  });

  it('change what they may do, and are refused what breaks a rule', async () => {
    const appId = await newApp();
    const { accessKey } = await create(appId);
    expect(
      await keys.change(accessKey, { scopes: ['jobs:read'], groups: ['reports', 'foreign'], ipAllow: ['::1'] }),
    ).toMatchObject({ accessKey });
    const key = await keys.find(accessKey);
    expect(key?.caller).toMatchObject({ scopes: ['jobs:read'], groups: ['reports'] });
    expect([key?.allowsIp('::1'), key?.allowsIp('203.0.113.1')]).toEqual([true, false]);
    await keys.change(accessKey, { groups: null, ipAllow: null });
    expect((await keys.find(accessKey))?.caller.groups).toEqual(['default', 'reports']);
    expect((await keys.find(accessKey))?.allowsIp('203.0.113.1')).toBe(true);
    await expect(keys.change(accessKey, { scopes: ['everything'] })).rejects.toEqual(full);
    await expect(keys.change(accessKey, { ipAllow: ['10.0.0.0/33'] })).rejects.toEqual(full);
    await expect(create(await newApp(), { scopes: ['everything'] })).rejects.toEqual(full);
    expect(await keys.change('ak_test_0123456789abcdef0123', { label: 'y' })).toBeNull();
  });

  it('are wrapped anew under another key of the ring, and open as before', async () => {
    const appId = await newApp();
    const pair = await create(appId);
    const worker = await keys.create({ kind: 'worker', groups: ['default'], label: 'w' });
    const both = await processWith(keks('new', 'old'));
    const boxes = async () =>
      (await both.get(SqlDialect).root.rows<{ box: string }>('SELECT secret_box AS box FROM access_keys ORDER BY id')).map(
        ({ box }) => box,
      );
    const before = await boxes();
    const rewrap = both.get(SecretRewrapService);
    const answers = await Promise.all([rewrap.rewrapAll(), rewrap.rewrapAll()]);
    expect(answers.map(({ rewrapped }) => rewrapped).reduce((a, b) => a + b)).toBe(before.length);
    expect(answers.flatMap(({ failed }) => failed)).toEqual([]);
    const after = await boxes();
    expect(after.every((box) => box.startsWith('v1.new.'))).toBe(true);
    // Only the data key is wrapped anew: the sealed secret itself is the same bytes.
    const sealed = (box: string) =>
      Buffer.from(box.split('.')[2] as string, 'base64url')
        .subarray(60)
        .toString('hex');
    expect(after.map(sealed)).toEqual(before.map(sealed));
    expect(await rewrap.rewrapAll()).toEqual({ current: 'new', rewrapped: 0, failed: [] });
    const onlyNew = await processWith(keks('new'));
    await onlyNew.get(AccessKeysService).checkStoredSecrets();
    for (const { accessKey, secret } of [pair, worker])
      expect((await onlyNew.get(AccessKeysService).find(accessKey))?.secret).toBe(secret);
  });

  it('those of callbacks too, of which an owner may have several', async () => {
    const old = await processWith(keks('old'));
    const appId = await newApp();
    const hosts = old.get(CallbackHostsService, { strict: false });
    const { secret: first } = await hosts.set(appId, ['hooks.partner.com']);
    const second = await hosts.rotateSecret(appId, 600_000);
    const { root } = old.get(SqlDialect);
    const made = old.get(WebhookSecrets, { strict: false }).make(appId, 'wep_0000000000000000000000000A');
    const now = Date.now();
    await old.get(EndpointStore, { strict: false }).insert(root, {
      ...{ id: 'wep_0000000000000000000000000A', appId, url: 'https://hooks.partner.com/x', eventTypes: ['task.failed'] },
      ...{ state: 'ENABLED', stateReason: null, secrets: [made.sealed], last4: 'last', challenge: 'c', verifiedAt: now },
      ...{ disabledAt: null, createdAt: now, updatedAt: now },
    });
    // The newest is wrapped with the new key already, the others are not.
    const third = await (await processWith(keks('new', 'old')))
      .get(CallbackHostsService, { strict: false })
      .rotateSecret(appId, 600_000);
    const onlyNew = await processWith(keks('new'));
    // It starts all the same, and says what it cannot sign for.
    expect(await onlyNew.get(AccessKeysService).checkStoredSecrets()).toEqual([
      'wep_0000000000000000000000000A',
      `callbacks of app ${appId}`,
    ]);
    const halfKnown = await onlyNew.get(EndpointStore, { strict: false }).app(root, appId);
    const opened = onlyNew.get(WebhookSecrets, { strict: false });
    expect(opened.open(halfKnown?.secrets ?? [], appId, 'default', now)).toEqual([third]);
    expect(() => opened.open([made.sealed], appId, 'wep_0000000000000000000000000A', now)).toThrow();
    const rewrap = (await processWith(keks('new', 'old'))).get(SecretRewrapService);
    expect(await rewrap.rewrapAll()).toEqual({ current: 'new', rewrapped: 3, failed: [] });
    expect(await rewrap.rewrapAll()).toEqual({ current: 'new', rewrapped: 0, failed: [] });
    expect(await onlyNew.get(AccessKeysService).checkStoredSecrets()).toEqual([]);
    const store = onlyNew.get(EndpointStore, { strict: false });
    const secrets = onlyNew.get(WebhookSecrets, { strict: false });
    const ofApp = (await store.app(root, appId))?.secrets ?? [];
    expect(secrets.open(ofApp, appId, 'default', now)).toEqual([third, second, first]);
    const endpoint = await store.look(root, 'wep_0000000000000000000000000A');
    expect(secrets.open(endpoint?.secrets ?? [], appId, 'wep_0000000000000000000000000A', now)).toEqual([made.secret]);
  });

  it('stop a process from starting that lacks a key they are wrapped with, and a rewrap leaves them as they are', async () => {
    const without = await processWith(keks('other'));
    await expect(without.get(AccessKeysService).checkStoredSecrets()).rejects.toThrow(KeyringMismatchError);
    const wrong = await processWith({
      EK_KEKS: JSON.stringify({ new: KEKS.other }),
      EK_KEK_CURRENT: 'new',
    });
    await expect(wrong.get(AccessKeysService).checkStoredSecrets()).rejects.toThrow(KeyringMismatchError);
    const answer = await without.get(SecretRewrapService).rewrapAll();
    expect(answer.rewrapped).toBe(0);
    expect(answer.failed.length).toBeGreaterThan(0);
    await (await processWith(keks('new'))).get(AccessKeysService).checkStoredSecrets();
  });
});
