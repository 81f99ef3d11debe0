import type { Page } from 'playwright-core';
import { command } from '../support/command.js';
import { becomes } from '../support/wait-for.js';
import vectors from '../vectors/sign_vectors.json';
import { Console } from './support/console.js';

describe('the API page in a browser', () => {
  let house: Console;
  let page: Page;
  let pair: { accessKey: string; secret: string };
  const complaints: string[] = [];

  beforeAll(async () => {
    house = await Console.start();
    const made = ['keys', 'create', '--app', 'test', '--mode', 'test', '--json'];
    pair = JSON.parse((await command(made, house.house.database.env)).stdout);
    page = await house.browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(`${house.url}/openapi/docs`);
    await page.waitForSelector('#operations-Account-whoAmI', { timeout: 60_000 });
  }, 180_000);
  afterAll(() => house?.stop());

  const sign = async (accessKey: string, secret: string) => {
    await page.fill('#access-key', accessKey);
    await page.fill('#secret', secret);
  };
  /** Opens the operation, sends it and resolves with the status the page shows. */
  async function tryOut(block: string, fill: () => Promise<void> = async () => {}): Promise<string> {
    const operation = page.locator(block);
    if ((await operation.locator('.opblock-body').count()) === 0)
      await operation.locator('.opblock-summary-control').first().click();
    const tryButton = operation.locator('.try-out__btn:not(.cancel)');
    if ((await tryButton.count()) > 0) await tryButton.click();
    await fill();
    const answered = page.waitForResponse(
      (answer) => answer.url().includes('/openapi/v1/') && answer.request().resourceType() === 'fetch',
    );
    await operation.locator('.execute').click();
    const answer = await answered;
    await operation.locator('.live-responses-table .response-col_status').first().waitFor({ timeout: 60_000 });
    return String(answer.status());
  }

  it('sends nothing signed, and nothing at all with a live secret', async () => {
    await sign(pair.accessKey, 'sk_live_EXAMPLE');
    expect(await tryOut('#operations-Account-whoAmI')).toBe('401');
    await becomes(() => page.textContent('#signing-state'), expect.stringContaining('test keys only'));
  });

  it('signs a read', async () => {
    await sign(pair.accessKey, pair.secret);
    expect(await tryOut('#operations-Account-whoAmI')).toBe('200');
    await becomes(
      () => page.textContent('#operations-Account-whoAmI .live-responses-table'),
      expect.stringContaining(pair.accessKey),
    );
  });

  it('signs a submission with its body', async () => {
    const status = await tryOut('#operations-Tasks-submitTask', async () => {
      await page.fill(
        '#operations-Tasks-submitTask textarea.body-param__text',
        '{"handler":"打印","clientRequestId":"from-the-page"}',
      );
    });
    expect(status).toBe('202');
    const { items } = await house.house.client().list({ clientRequestId: 'from-the-page' });
    expect(items).toMatchObject([{ handler: '打印' }]);
  });

  it('signs a query', async () => {
    const status = await tryOut('#operations-Tasks-listTasks', async () => {
      await page.fill('#operations-Tasks-listTasks tr[data-param-name="handler"] input', "打印 +&'()");
    });
    expect(status).toBe('200');
  });

  it('keeps the keys in the page alone', async () => {
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    await page.reload();
    expect([await page.inputValue('#access-key'), await page.inputValue('#secret')]).toEqual(['', '']);
    await page.waitForSelector('#operations-Account-whoAmI', { timeout: 60_000 });
  });

  it('shows the canonical string of a pasted request, and whether its signature is right', async () => {
    const { method, target, headers, bodyUtf8, canonical } = vectors.positive[1] as (typeof vectors.positive)[number];
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await page.fill('#debug-request', `${method} ${target} HTTP/1.1\n${lines.join('\n')}\n\n${bodyUtf8}`);
    await page.fill('#secret', vectors.secret);
    await page.click('#debug-run');
    await becomes(() => page.textContent('#debug-state'), 'The signature is right.');
    expect(await page.textContent('#debug-canonical')).toBe(canonical);
  });

  it('shows a sample of every operation', async () => {
    await page.selectOption('#sample-operation', 'submitTask');
    await page.selectOption('#sample-language', 'Python');
    await becomes(() => page.textContent('#sample-source'), expect.stringContaining('request("POST", "/openapi/v1/tasks"'));
  });

  it('breaks no rule of its policy and throws nothing', () => {
    expect(complaints).toEqual([]);
  });
});
