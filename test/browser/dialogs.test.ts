import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

let house: Console;
let job: { id: string };
beforeAll(async () => {
  house = await Console.start();
  job = await house.made('jobs', { key: 'asked', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
  await house.made('apps', { name: 'shop', defaultGroup: 'default', groups: ['default'] });
  await house.made('users', { username: 'viewer', password: PASSWORD, role: 'viewer' });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

/** By keyboard alone: the first field has the focus, and afterwards the button that opened it. */
async function opensAndCloses(page: Page, name: RegExp): Promise<void> {
  const opener = page.getByRole('button', { name }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await waitFor(`the first field of ${name} has the focus`, () =>
    page.evaluate(() => document.querySelector('.ant-modal-body')?.querySelector('input, textarea') === document.activeElement),
  );
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await waitFor(`the focus is back at ${name}`, () => opener.evaluate((button) => button === document.activeElement));
}

describe('a dialog', () => {
  it.each([
    ['/users', [/^New user/]],
    ['/keys', [/^New partner/, /^New key/]],
    ['/groups', [/^New group/]],
    ['/jobs/$', [/^Run with params/]],
  ] as const)('begins at its first field and gives the focus back: %s', async (path, openers) => {
    const page = await house.visit(path.replace('$', job.id));
    await house.arrived(page);
    for (const opener of openers) await opensAndCloses(page, opener);
  });
});

describe('fields of somebody who may not save', () => {
  it('cannot be operated, and say why', async () => {
    const page = await house.visit('/settings', { user: 'viewer', expects: [403] });
    for (const [path, permission] of [
      ['settings', 'system.manage'],
      ['jobs/new', 'jobs.edit'],
      [`jobs/${job.id}/edit`, 'jobs.edit'],
    ] as const) {
      await house.go(page, path);
      const fields = page.locator('fieldset.changeable');
      await fields.first().waitFor();
      for (const field of await fields.all()) {
        expect(await field.evaluate((each) => each.matches(':disabled'))).toBe(true);
        expect(await field.textContent()).toContain(permission);
        expect(await field.locator('input:enabled, textarea:enabled, button:enabled').count()).toBe(0);
        expect(await field.locator('.ant-select:not(.ant-select-disabled)').count()).toBe(0);
      }
    }
    expect(await page.getByLabel('Handler').isDisabled()).toBe(true);
  });
});
