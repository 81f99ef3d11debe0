import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@evenkeel/sdk/client';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let app: { id: string };
beforeAll(async () => {
  house = await Console.start();
  app = await house.made('apps', { name: 'mall', defaultGroup: 'default' });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe('a key', () => {
  it('shows its secret once, closes only when told that it was kept, and leaves nothing of it behind', async () => {
    const page = await house.visit('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Partner', { exact: true }).last().click();
    await page.getByRole('option', { name: 'mall' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Label').fill('once');
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/api/keys') && each.request().method() === 'POST'),
      dialog.getByRole('button', { name: 'New key' }).click(),
    ]);
    const { key, secret } = await response.json();
    const once = page.getByRole('dialog', { name: /secret/i });
    await once.waitFor();
    expect(await page.content()).not.toContain(secret);
    await once.getByRole('button', { name: 'Reveal' }).click();
    await once.getByText(secret).waitFor();
    expect(await once.getByRole('button', { name: 'Close', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await once.getByText(secret).waitFor();
    const later: string[] = [];
    page.on(
      'response',
      (each) =>
        void each.text().then(
          (text) => later.push(text),
          () => {},
        ),
    );
    await once.getByRole('checkbox').check();
    await once.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('link', { name: key.accessKey }).click();
    await page.getByRole('heading', { name: new RegExp(key.accessKey) }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
    for (const text of [await page.content(), kept, ...later, house.house.output]) expect(text).not.toContain(secret);
    const client = createClient({ url: house.url, accessKey: key.accessKey, secretKey: secret });
    expect((await client.submit('noop', {})).id).toMatch(/^task_/);
    client.close();
    expect(app.id).toBe(key.app.id);
  });

  it('is edited from what was read: what another changed since stays, and is shown when it is opened again', async () => {
    const edited = await house.made('apps', { name: 'edited', defaultGroup: 'default' });
    const { key } = await house.made('keys', { kind: 'partner', app: edited.id, label: 'before' });
    const page = await house.visit(`/keys/${key.accessKey}`, { expects: [409] });
    const dialog = page.getByRole('dialog');
    const open = async () => {
      await page.getByRole('button', { name: `Edit ${key.accessKey}` }).click();
      await dialog.getByLabel('Label').waitFor();
    };
    const save = () => dialog.getByRole('button', { name: 'Save' }).click();
    await open();
    await (await house.api()).call('PATCH', `/api/keys/${key.accessKey}`, { ipAllow: ['10.0.0.0/8'] });
    await dialog.getByLabel('Label').fill('after');
    await save();
    await page.getByText(/was changed in the meantime/).waitFor();
    expect(await house.read(`keys/${key.accessKey}`)).toMatchObject({ label: 'before', ipAllow: ['10.0.0.0/8'] });
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('10.0.0.0/8').waitFor();
    await open();
    await dialog.getByText('10.0.0.0/8').waitFor();
    await dialog.getByLabel('Label').fill('after');
    await dialog.getByLabel('Reason').fill('it moved');
    await save();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('after', { exact: true }).first().waitFor();
    expect(await house.read(`keys/${key.accessKey}`)).toMatchObject({
      label: 'after',
      ipAllow: ['10.0.0.0/8'],
      scopes: key.scopes,
      expiresAt: null,
    });

    // Where its partner's results may go: the first hosts make the secret, which is shown this once.
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Callbacks edited' }).click();
    await dialog.getByText('Callbacks waiting to be sent: 0 (limit 100000)').waitFor();
    await dialog.getByLabel('Callback hosts').fill('hooks.partner.com,');
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/callbacks') && each.request().method() === 'PUT'),
      save(),
    ]);
    const { secret } = await response.json();
    const once = page.getByRole('dialog', { name: /secret/i });
    await once.getByRole('button', { name: 'Reveal' }).click();
    await once.getByText(secret).waitFor();
    await once.getByRole('checkbox').check();
    await once.getByRole('button', { name: 'Close', exact: true }).click();
    await once.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page
      .getByRole('row', { name: /Callbacks edited/ })
      .getByText('hooks.partner.com')
      .waitFor();
    await page.getByRole('button', { name: 'Callbacks edited' }).click();
    await dialog.getByRole('button', { name: /^Rotate secret/ }).waitFor();
  });

  it('is rotated: both are good while they overlap, and the old one is refused when that ends', async () => {
    const rotating = await house.made('apps', { name: 'rotating', defaultGroup: 'default' });
    const { key, secret } = await house.made('keys', { kind: 'partner', app: rotating.id, label: 'yearly' });
    const submit = async ({ accessKey }: { accessKey: string }, word: string) =>
      (await signedRequest(house.url, { accessKey, secret: word }, 'POST', '/openapi/v1/tasks', { handler: 'noop' })).status;
    const page = await house.visit(`/keys/${key.accessKey}`);
    await page.getByRole('button', { name: /^Rotate/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The old secret stays valid for').click();
    await page.locator('.ant-select-item-option', { hasText: /^1 hour$/ }).click();
    await dialog.getByRole('textbox').fill('yearly');
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/rotate')),
      dialog.getByRole('button', { name: 'Rotate', exact: true }).click(),
    ]);
    const next = await response.json();
    const once = page.getByRole('dialog', { name: 'Save this secret now' });
    await once.getByText(next.key.accessKey).waitFor();
    await once.getByRole('checkbox').check();
    await once.getByRole('button', { name: 'Close', exact: true }).click();
    await once.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(next.secret);
    expect([await submit(key, secret), await submit(next.key, next.secret)]).toEqual([202, 202]);
    const rows = page.getByRole('region', { name: 'All keys of this partner' }).locator('tbody tr');
    await rows.filter({ hasText: next.key.accessKey }).getByText('Active').waitFor();
    const old = rows.filter({ hasText: key.accessKey });
    await old.getByText('Being rotated, expires').waitFor();
    await old.locator('td').nth(4).locator('time').waitFor();
    const { expiresAt } = await house.read(`keys/${key.accessKey}`);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);

    // The use is written down some seconds after it, by the centre that saw it.
    const overlap = page.getByRole('region', { name: 'Being rotated: both keys are valid' });
    await overlap.getByText('The old key has been used since the new one was created').waitFor();
    await becomes(() => overlap.getByText('1 of 2 requests in 24 h').count(), 2);
    await becomes(() => overlap.getByText('POST /openapi/v1/tasks').count(), 2);
    await overlap.getByRole('button', { name: /^End overlap now/ }).click();
    const ending = page.getByRole('dialog');
    await ending.getByText('The old key has been used since the new one was created').waitFor();
    await ending.getByText('requests still signed with it are refused').waitFor();
    await ending.getByRole('button', { name: 'End overlap now', exact: true }).click();
    await old.getByText('Disabled').waitFor();
    // A disabled key that proves itself is told so: 403. Who cannot prove it gets 401, here and for any key.
    expect([await submit(key, secret), await submit(next.key, next.secret)]).toEqual([403, 202]);
    expect(await submit(key, `${secret}x`)).toBe(401);
    const rejected = page.getByRole('region', { name: 'Recently rejected requests' }).locator('tbody tr');
    await rejected.filter({ hasText: 'Key disabled' }).filter({ hasText: '/openapi/v1/tasks' }).getByText('127.0.0.1').waitFor();
    await rejected.filter({ hasText: 'Bad signature or unknown key' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page
      .getByRole('row', { name: /^Created/ })
      .getByText('admin', { exact: true })
      .waitFor();
    await page.goto('/keys');
    const row = page.getByRole('row', { name: new RegExp(key.accessKey) });
    await row.getByText('67% failed').waitFor();
    expect(await row.getByText('admin', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Created by' }).check();
    await row.getByText('admin', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Show rotating' }).click();
    await page
      .getByRole('row', { name: /Key disabled/ })
      .getByText(key.accessKey)
      .waitFor();
  });

  it('that ends within a day says so in the same words wherever it is told of', async () => {
    const ending = await house.made('apps', { name: 'ending', defaultGroup: 'default' });
    const expiresAt = new Date(Date.now() + 12 * 3_600_000).toISOString();
    const { key } = await house.made('keys', { kind: 'partner', app: ending.id, label: 'short', expiresAt });
    const page = await house.visit('/keys');
    await page
      .getByRole('row', { name: new RegExp(key.accessKey) })
      .getByText('less than a day left')
      .waitFor();
    await page.goto('/alerts');
    const told = page.getByRole('row', { name: /A key expires soon/ }).filter({ hasText: 'less than a day left' });
    await told.first().waitFor();
    expect(await page.getByText('days left 0').count()).toBe(0);
  });
});

interface Vector {
  id: string;
  method: string;
  target: string;
  bodyUtf8: string | null;
  bodyHex?: string;
  nonce: string;
  canonical: string;
  signature: string;
}

describe('the signature tester', () => {
  it('makes the signatures of the published vectors, tells the usual mistakes, and sends nothing', async () => {
    const vectors = JSON.parse(readFileSync(join(__dirname, '..', 'vectors', 'sign_vectors.json'), 'utf8'));
    const page = await house.visit('/keys/tester');
    await page.getByRole('heading', { level: 1, name: 'Signature tester' }).waitFor();
    await house.arrived(page);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
    await page.getByLabel('Access key', { exact: true }).fill(vectors.accessKey);
    await page.getByLabel('Secret', { exact: true }).fill(vectors.secret);
    await page.getByLabel('Timestamp (seconds)').fill(String(vectors.timestamp));
    let tried = 0;
    let asFile = 0;
    const file = page.locator('input[type=file]');
    for (const vector of vectors.positive as Vector[]) {
      await page.getByLabel('Path and query, exactly as in the request line').fill(vector.target);
      await page.getByLabel('Nonce').fill(vector.nonce);
      const body = vector.bodyUtf8 ?? '';
      // A text field holds no carriage return, a file holds every byte.
      if (/\r/.test(body)) {
        await file.setInputFiles({
          name: 'body.json',
          mimeType: 'application/json',
          buffer: Buffer.from(vector.bodyHex ?? '', 'hex'),
        });
        await page.getByText('body.json').waitFor();
        asFile += 1;
      } else await page.getByLabel('Body, byte for byte').fill(body);
      const method = page.getByLabel('Method');
      await method.click();
      await page.locator('.ant-select-item-option', { hasText: new RegExp(`^${vector.method}$`) }).click();
      await page.getByText(vector.signature, { exact: true }).waitFor();
      await page.getByLabel('Received signature').fill(vector.signature);
      await page.getByText('Equal: the signature is right').waitFor();
      tried += 1;
      if (/\r/.test(body)) {
        // Whoever signed it with other line ends is told so.
        const mended = {
          accessKey: vectors.accessKey,
          timestamp: String(vectors.timestamp),
          nonce: vector.nonce,
          method: vector.method,
        };
        const headers = signedHeaders({ ...mended, target: vector.target, body: body.replaceAll('\r\n', '\n') }, vectors.secret);
        await page.getByLabel('Received signature').fill(headers['x-ek-signature'] as string);
        await page.getByText('The signed body has other line ends').waitFor();
        await page.getByRole('button', { name: 'Use the text' }).click();
      }
    }
    expect(asFile).toBeGreaterThan(0);
    expect(tried).toBeGreaterThanOrEqual(10);
    // The vectors are of another time.
    await page.getByText('the server refuses it').waitFor();
    await page.getByLabel('Received signature').fill(`v1=${'0'.repeat(64)}`);
    await page.getByText(/Usual causes/).waitFor();
    await becomes(() => page.getByRole('region', { name: 'What is signed' }).getByRole('listitem').count(), 8);
    await page.getByLabel('Their text to sign (optional)').fill(vectors.positive[0].canonical.replace('\nGET\n', '\nget\n'));
    await page.getByText(/Differs from line/).waitFor();
    expect(sent.filter((text) => !/\/(icon\.svg|api\/stream\S*|api\/notices) null$/.test(text))).toEqual([]);
  });

  it('judges the time as the server does, whatever clock this machine has', async () => {
    const timed = await house.made('apps', { name: 'timed', defaultGroup: 'default' });
    const { key, secret } = await house.made('keys', { kind: 'partner', app: timed.id, label: 'timed' });
    const status = async (timestamp: string) => {
      const parts = { accessKey: key.accessKey, timestamp, nonce: randomUUID(), method: 'POST', target: '/openapi/v1/tasks' };
      const body = '{"handler":"noop"}';
      const headers = { ...signedHeaders({ ...parts, body }, secret), 'content-type': 'application/json' };
      return (await fetch(`${house.url}${parts.target}`, { method: 'POST', headers, body })).status;
    };
    const page = await house.visit('/overview');
    const hours = 3;
    await page.clock.setFixedTime(Date.now() - hours * 3_600_000);
    await page.goto('/keys/tester');
    const field = page.getByLabel('Timestamp (seconds)');
    const refused = page.getByText("More than 5 minutes from the server's clock");
    const here = String(Math.floor(Date.now() / 1_000) - hours * 3_600);
    await field.fill(here);
    await refused.waitFor();
    expect(await status(here)).toBe(401);
    await waitFor('the time of the server is known', async () => {
      await page.getByRole('button', { name: 'Use now' }).click();
      return (await refused.count()) === 0;
    });
    expect(await status(await field.inputValue())).toBe(202);
  });

  it('begins with a rejected request, names the line that differs and why, and is told neither secret nor body by anybody', async () => {
    const { key, secret } = await house.made('keys', { kind: 'partner', app: app.id, label: 'tested' });
    const { accessKey } = key;
    const target = '/openapi/v1/tasks';
    const body = '{"handler":"noop","params":{"card":"hunter2"}}';
    const refused = async (sent: string, mistaken: Partial<Parameters<typeof signedHeaders>[0]>) => {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const parts = { accessKey, timestamp, nonce: randomUUID(), method: 'POST', target, body: sent, ...mistaken };
      const headers = { ...signedHeaders(parts, secret), 'content-type': 'application/json' };
      const answer = await fetch(`${house.url}${target}`, { method: 'POST', headers, body: sent });
      await answer.text();
      expect(answer.status).toBe(401);
    };
    await refused(body, { method: 'post' });
    const page = await house.visit(`/keys/${accessKey}`);
    const load = page
      .getByRole('region', { name: 'Recently rejected requests' })
      .getByRole('link', { name: /^Load into tester/ });
    await load.first().click();
    await page.getByText('A rejected request was loaded: Bad signature or unknown key').waitFor();
    expect(page.url()).toMatch(/\/keys\/tester\?rejected=rej_/);
    const { pathname, search } = new URL(page.url());
    const chinese = await house.visit(pathname + search, { language: 'zh-CN' });
    await chinese.getByText('没有这个密钥，或签名与到达的请求不符').waitFor();
    await becomes(() => page.getByLabel('Path and query, exactly as in the request line').inputValue(), target);
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain('hunter2');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()} ${JSON.stringify(request.headers())}`));
    await page.getByLabel('Secret', { exact: true }).fill(secret);
    await page.getByText('Not equal Differs from line 5 on: Method').waitFor();
    await page.getByText('The method was in lower case; it must be upper case.').waitFor();

    await refused(body, { body: `${body} ` });
    await page.goto(`/keys/${accessKey}`);
    await waitFor('both are listed', async () => (await load.count()) === 2);
    await load.first().click();
    await page.getByLabel('Secret', { exact: true }).fill(secret);
    await page.getByText('Usual causes').waitFor();
    await page.getByLabel('Body, byte for byte').fill(`${body} `);
    await page
      .getByText('The sender signed exactly this, but something else arrived. Differs from line 8 on: Body digest')
      .waitFor();
    for (const text of [...sent, page.url()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('hunter2');
    }
  });
});
