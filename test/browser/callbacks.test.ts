import { createHmac } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

/** A store of the centre's own: private, and refused although the network is opened. */
const REFUSED = 'http://127.0.0.1:6379/hook';

let house: Console;
let receiver: Receiver;
let endpoint: { id: string; secret: string };
beforeAll(async () => {
  receiver = await Receiver.listen();
  house = await Console.start(['default'], LOOPBACK_CALLBACKS);
  await house.house.startWorker({ id: 'w1', slots: 4 });
  endpoint = await register(receiver.url('/hook'));
  await waitFor('the endpoint is proven', async () => (await seen(`endpoints/${endpoint.id}`)).state === 'ENABLED');
}, 120_000);
afterAll(async () => {
  await house?.stop();
  await receiver?.close();
});
afterEach(() => house.settle());

const partner = (target: string, body: unknown) => signedRequest(house.url, house.house.appKey, 'POST', target, body);
const register = async (url: string) => (await partner('/openapi/v1/webhook-endpoints', { url })).body;
const seen = async (path: string) => (await (await house.api()).get(`/api/callbacks/${path}`)).json;
const runTask = async () => (await partner('/openapi/v1/tasks', { handler: 'echo', params: {} })).body.id as string;
const deliveryOf = (task: string) => waitFor('a delivery', async () => (await seen(`deliveries?task=${task}`)).items[0]);
const attemptsAt = (task: string) => receiver.ofTask(task);

describe('a delivery', () => {
  it('shows each attempt with its code and the next try, and one that had succeeded is sent again only after a warning', async () => {
    // The second time it wishes to be left alone for an hour: no third attempt comes before it is asked for.
    const wrong: [number, object][] = [
      [500, {}],
      [503, { 'retry-after': '3600' }],
    ];
    receiver.behave = (_, response) => {
      const [status, headers] = wrong.shift() ?? [200, {}];
      response.writeHead(status, { ...headers }).end(status === 200 ? 'ok' : 'disk full');
    };
    const task = await runTask();
    const { id } = await deliveryOf(task);
    const page = await house.visit(`/callbacks?task=${task}`);
    await page.getByRole('link', { name: 'task.succeeded' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(id) }).waitFor();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('HTTP 500').first().waitFor();
    await attempts.getByText('disk full').first().waitFor();
    await page
      .getByRole('row', { name: /Next try/ })
      .locator('time')
      .first()
      .waitFor();
    // The second attempt is the schedule's own, five seconds later; the third is asked for.
    await attempts.getByText('HTTP 503').waitFor();
    expect((await seen(`deliveries/${id}`)).nextAttemptAt).not.toBeNull();
    const overview = await house.visit('/overview?range=6h');
    const tile = overview.getByRole('link', { name: /^Callbacks failing/ });
    await waitFor('it is counted', async () => (await tile.locator('strong').textContent()) === '1');
    await tile.click();
    const failing = overview.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    await failing.getByRole('link', { name: 'task.succeeded' }).waitFor();
    expect(await failing.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')))).toEqual([id]);
    await overview.goBack();
    await tile.waitFor();
    expect(new URL(overview.url()).search).toBe('?range=6h');
    const steps = page.getByRole('list', { name: 'Retry schedule' }).getByRole('listitem');
    await becomes(() => steps.count(), 12);
    await waitFor('two steps have failed', async () => (await steps.filter({ hasText: 'failed' }).count()) === 2);
    await steps.nth(2).locator('time').waitFor();
    await steps.last().getByText('gives up after 2 d 23 h').waitFor();
    await page.getByRole('link', { name: 'Attempt 1 on the wire' }).click();
    const wire = page.getByRole('region', { name: 'Attempt 1 on the wire' });
    await wire.getByRole('row', { name: `webhook-id ${attemptsAt(task)[0]?.id}` }).waitFor();
    await wire.getByRole('table', { name: 'Timing' }).getByRole('columnheader', { name: 'First byte' }).waitFor();
    await wire.getByText('disk full').waitFor();
    await wire.getByText('Body of 9 bytes.', { exact: true }).waitFor();
    // Whoever has the secret gets the signature that was sent from the text shown here.
    const base = (await wire.getByRole('region', { name: 'What was signed' }).textContent()) ?? '';
    const made = createHmac('sha256', Buffer.from(endpoint.secret.replace('whsec_', ''), 'base64'))
      .update(base)
      .digest('base64');
    const sent = attemptsAt(task)[0]?.headers['webhook-signature'];
    expect(sent).toBe(`v1,${made}`);
    await wire.getByRole('row', { name: `webhook-signature v1,${made.slice(0, 8)}…` }).waitFor();
    expect(await page.content()).not.toContain(made);
    await page.getByRole('button', { name: new RegExp(`^Redeliver – ${id}$`) }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The scheduled retries go on regardless').waitFor();
    expect(await dialog.getByText('has already succeeded').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await attempts.getByText('HTTP 200').waitFor();
    await page.getByText('Delivered', { exact: true }).first().waitFor();
    const before = (await seen(`deliveries/${id}`)).log;
    expect(before.map(({ status, trigger }: { status: number; trigger: string }) => [status, trigger])).toEqual([
      [500, 'auto'],
      [503, 'auto'],
      [200, 'manual'],
    ]);

    await page.getByRole('button', { name: /^Redeliver/ }).click();
    await page.getByRole('dialog').getByText('This delivery has already succeeded').waitFor();
    await page
      .getByRole('dialog')
      .getByLabel(/Reason/)
      .fill('they lost it');
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
    await waitFor('the fourth attempt is shown', async () => (await attempts.getByRole('row').count()) === 5);
    const after = (await seen(`deliveries/${id}`)).log;
    expect(after.slice(0, 3)).toEqual(before);
    const told = attemptsAt(task);
    expect(new Set(told.map((each) => `${each.id} ${each.body}`)).size).toBe(1);
    for (const { body, headers } of told) new Webhook(endpoint.secret).verify(body, headers as Record<string, string>);
    expect(new Set(told.map(({ headers }) => headers['x-ek-attempt']))).toEqual(new Set(['1', '2', '3', '4']));
    await page.goto('/callbacks?tab=endpoints');
    // Two of the attempts at it failed, whatever else it was sent.
    const share = page.getByRole('row', { name: new RegExp(receiver.url('/hook')) }).getByText(/^\d+(\.\d)?%$/);
    await waitFor('it is told', async () => Number.parseFloat((await share.textContent()) ?? '') < 100);
    await page.goto(`/tasks/${task}`);
    await page.getByRole('region', { name: 'Callbacks of this task' }).getByText('Delivered').first().waitFor();
  });

  it('that nothing is found of is told with the time that was searched, if that was limited', async () => {
    const page = await house.visit('/callbacks?task=task_01jzzzzzzzzzzzzzzzzzzzzzzz');
    await page.getByText('No matching deliveries', { exact: true }).waitFor();
    await page.goto('/callbacks?task=task_01jzzzzzzzzzzzzzzzzzzzzzzz&since=1h');
    await page.getByText('No matching deliveries in the last hour', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Widen to the last 24 hours' }).waitFor();
  });

  it('to a private target is shown as refused, not as the receiver’s failure', async () => {
    const refused = await register(REFUSED);
    const page = await house.visit(`/callbacks/endpoints/${refused.id}`);
    await page.getByText('It has not answered its challenge').waitFor();
    const recent = page.getByRole('region', { name: 'Latest deliveries' });
    await recent.getByText('Target refused').first().waitFor();
    await recent.getByRole('link', { name: 'endpoint.verification' }).click();
    await page.getByText('This installation refuses to send to this target').waitFor();
    const note = page.getByRole('alert').filter({ hasText: 'This installation refuses to send to this target' });
    await note.getByText('The port is one of this installation’s own').waitFor();
    await note.getByText('This cannot be opened: ask the partner to use another port or host.').waitFor();
    // An unproven endpoint is asked three times in all, and the picture shows no more.
    await waitFor('the schedule of a challenge is drawn, or it is over', async () => {
      const steps = await page.getByRole('list', { name: 'Retry schedule' }).getByRole('listitem').count();
      return steps === 4 || (steps === 0 && (await page.getByText('Given up', { exact: true }).count()) > 0);
    });
    const wire = page.getByRole('region', { name: /on the wire$/ });
    await wire.getByText('Refused by this rule; nothing was sent').waitFor();
    await wire.getByText('The port is one of this installation’s own').waitFor();
    await wire.getByText('No answer was received.').waitFor();
  });
});

describe('an endpoint', () => {
  it('shows the plan of its retries in one line of a usual screen, in Chinese too', async () => {
    const page = await house.visit(`/callbacks/endpoints/${endpoint.id}`, { language: 'zh-CN' });
    await page.setViewportSize({ width: 1440, height: 900 });
    const steps = page.getByRole('list', { name: '重试计划' }).getByRole('listitem');
    await steps.last().getByText('约 2 天 23 小时后放弃').waitFor();
    const top = async (step: typeof steps) => (await step.boundingBox())?.y;
    await becomes(async () => (await top(steps.last())) === (await top(steps.first())), true);
  });

  it('is disabled, enabled, and told again only of what was given up', async () => {
    receiver.behave = (_, response) => response.writeHead(200).end();
    const fine = await runTask();
    await waitFor('one was told', () => attemptsAt(fine).length === 1);
    const page = await house.visit(`/callbacks/endpoints/${endpoint.id}`);
    await house.arrived(page);
    await page.getByRole('button', { name: /^Disable/ }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Disable' });
    await confirm.waitFor();
    // Answered only once it is disabled: what fails then is given up when its turn comes again, in seconds, or in a minute if this was late.
    const held: (() => void)[] = [];
    receiver.behave = (_, response) => held.push(() => response.writeHead(500).end());
    const lost = await runTask();
    await waitFor('one is being told', () => attemptsAt(lost).length === 1);
    await confirm.click();
    await waitFor('it is disabled', async () => (await seen(`endpoints/${endpoint.id}`)).state === 'DISABLED');
    for (const answer of held) answer();
    await page.getByText('It was disabled by a person').waitFor();
    await becomes(() => page.getByRole('button', { name: /^Recover failed/ }).getAttribute('aria-disabled'), 'true');
    const recent = page.getByRole('region', { name: 'Latest deliveries' });
    // It came after the page was opened, so it is counted and waits to be asked for.
    await page.getByRole('button', { name: 'One new · show' }).click();
    await recent.getByText('Given up').waitFor({ timeout: 200_000 });
    const failed = attemptsAt(lost).length;
    receiver.behave = (_, response) => response.writeHead(200).end();
    await page.getByRole('button', { name: /^Enable/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: /^Recover failed – wep/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Recover failed' }).click();
    await page.getByText('One delivery was queued again').waitFor();
    await waitFor('it arrived', () => attemptsAt(lost).length === failed + 1);
    await waitFor('none is given up any more', async () => (await recent.getByText('Given up').count()) === 0);
    expect(attemptsAt(fine)).toHaveLength(1);

    await page.getByRole('button', { name: /^Disable/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await waitFor('it is disabled', async () => (await seen(`endpoints/${endpoint.id}`)).state === 'DISABLED');
    // Nobody listens: it ends without an event.
    const unheard = await runTask();
    await waitFor('it has ended', async () => (await house.read(`tasks/${unheard}`)).state === 'SUCCEEDED');
    await page.getByRole('button', { name: /^Enable/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: /^Replay missing – wep/ }).click();
    await page.getByRole('dialog').getByText('Sends every task result it has no delivery of').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay missing' }).click();
    await page.getByText('One missing event was queued.').waitFor();
    await waitFor('it is told', () => attemptsAt(unheard).length === 1);
    expect([attemptsAt(fine).length, attemptsAt(lost).length]).toEqual([1, failed + 1]);
  }, 300_000);

  it('gets a new secret that is shown once, and signs with both while they overlap', async () => {
    receiver.behave = (_, response) => response.writeHead(200).end();
    const page = await house.visit(`/callbacks/endpoints/${endpoint.id}`);
    await page.getByRole('button', { name: /^Rotate secret/ }).click();
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/rotate-secret')),
      page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click(),
    ]);
    const { secret } = await response.json();
    const once = page.getByRole('dialog', { name: 'New signing secret' });
    await once.getByText('keeps signing alongside for 24 hours').waitFor();
    expect(await page.content()).not.toContain(secret);
    await once.getByRole('button', { name: 'Reveal' }).click();
    await once.getByText(secret).waitFor();
    expect(await once.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await once.getByRole('checkbox').check();
    await once.getByRole('button', { name: 'Close' }).click();
    await page.getByText('2 in use').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, location.href]))).not.toContain(secret);
    const task = await runTask();
    await waitFor('it is told', () => attemptsAt(task).length === 1);
    const [told] = attemptsAt(task);
    for (const one of [secret, endpoint.secret])
      new Webhook(one).verify(told?.body ?? '', told?.headers as Record<string, string>);
  });
});

describe('a target whose circuit is open', () => {
  it('is told wherever a next try is shown, with when it is tried again', async () => {
    const answer = 'there is no space left on any of the devices of this receiver';
    receiver.behave = ({ path }, response) => response.writeHead(path === '/full' ? 500 : 200).end(answer);
    const { id: full } = await register(receiver.url('/full'));
    await waitFor('it is proven', async () => (await seen(`endpoints/${full}`)).state === 'ENABLED');
    for (let n = 0; n < 6; n++) await runTask();
    const held = await waitFor('its circuit is open', async () => {
      const { items } = await seen(`deliveries?endpoint=${full}&failing=true`);
      return items.find(({ hold }: { hold: { reason: string } | null }) => hold?.reason === 'circuit_open');
    });
    expect(Date.parse(held.hold.until)).toBeGreaterThan(Date.parse(held.nextAttemptAt));
    // Whatever is shown is compared with what is so at that moment: the circuit moves on when it is tried.
    const showsWhen = (time: Locator) =>
      waitFor('when it is tried is shown', async () => {
        const { hold, nextAttemptAt } = await seen(`deliveries/${held.id}`);
        return (await time.getAttribute('datetime')) === (hold?.until ?? nextAttemptAt);
      });
    const page = await house.visit(`/callbacks?endpoint=${full}`);
    const row = page.locator(`tr[data-row="${held.id}"]`);
    await row.getByText('circuit open').waitFor();
    await showsWhen(row.locator('time').first());
    await page.goto(`/callbacks?endpoint=${full}&peek=${held.id}`);
    const peek = page.getByRole('complementary', { name: 'Quick look' });
    await peek.getByText('The circuit of this target is open; nothing is sent before').waitFor();
    await peek.getByText(answer).first().waitFor();
    const table = peek.getByRole('region', { name: 'Attempts' });
    expect(await table.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
    await page.goto(`/callbacks/deliveries/${held.id}`);
    const fact = page.getByRole('row', { name: /Next try/ });
    await fact.getByText('circuit open').waitFor();
    await page.getByText('The circuit of this target is open; nothing is sent before').waitFor();
    await showsWhen(fact.getByRole('cell').last().locator('time').last());
    await page.getByRole('list', { name: 'Retry schedule' }).getByText('circuit open').waitFor();
    await page.goto(`/callbacks/endpoints/${full}`);
    await page.getByText('so its circuit is open. Nothing is sent to it before').waitFor();
    await house.made(`callbacks/endpoints/${full}/disable`);
  });
});
