import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const ANSWER = {
  recordsTotal: 3,
  data: [
    {
      id: 1,
      jobDesc: '每日结算',
      author: 'ops',
      executorHandler: 'settle',
      scheduleType: 'CRON',
      scheduleConf: '0 30 2 ? * 2-6',
      childJobId: '2',
    },
    { id: 2, jobDesc: 'report', executorHandler: 'report', scheduleType: 'NONE' },
    { id: 3, jobDesc: 'old script', glueType: 'GLUE_SHELL', executorHandler: '' },
  ],
};
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const jobs = async (): Promise<any[]> => (await (await house.api()).get('/api/jobs?group=pay')).json.items;

describe('jobs of XXL-JOB', () => {
  it('are turned into a file, looked at, and taken in paused; taken in again under other keys when they differ', async () => {
    const page = await house.visit('/transfer?tab=import');
    await page.getByText('XXL-JOB', { exact: true }).click();
    await page.waitForURL(/from=xxl-job/);
    await page.getByRole('textbox', { name: 'XXL-JOB jobs (JSON)' }).fill(JSON.stringify(ANSWER));
    await page.getByLabel('Into the group').click();
    await page.getByRole('option', { name: 'pay' }).waitFor({ state: 'attached' });
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    await page.getByLabel(/^Time zone of cron/).fill('Asia/Shanghai');
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByText('2 jobs were converted').waitFor();
    await page.getByText('Scripts (GLUE) have no handler and were left out').waitFor();
    await page.getByText('old script', { exact: true }).waitFor();
    await becomes(() => page.getByLabel('Text of the file').inputValue(), expect.stringContaining('"cronDialect": "quartz"'));
    await page.getByRole('button', { name: 'Check (writes nothing)' }).click();
    await page.getByText('Create 2').waitFor();
    await page.getByRole('button', { name: /^Apply$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 created, 0 overwritten').waitFor();
    expect(await jobs()).toMatchObject([
      { key: 'report', schedule: { kind: 'upstream' }, state: 'paused' },
      { key: 'settle', schedule: { expression: '0 30 2 * * MON-FRI' }, state: 'paused' },
    ]);

    const text = await page.getByLabel('Text of the file').inputValue();
    await page.getByLabel('Text of the file').fill(text.replace('"retry"', '"priority": 9, "retry"'));
    await page.getByText('create under another key').click();
    await page.waitForURL(/onConflict=rename/);
    await page.getByRole('button', { name: 'Check (writes nothing)' }).click();
    await page.getByText('(settle in the file)').waitFor();
    await page.getByRole('button', { name: /^Apply$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await waitFor('both are there a second time', async () => (await jobs()).length === 4);
    const settle = (await jobs()).find(({ key }) => key === 'settle-2');
    await becomes(
      async () => (await jobs()).find(({ key }) => key === 'report-2'),
      expect.objectContaining({ upstreams: [settle.id] }),
    );
  });
});

describe('what is not JSON', () => {
  it('is not converted, and told with the first place and what was expected there', async () => {
    const page = await house.visit('/transfer?tab=import&from=xxl-job');
    const field = page.getByRole('textbox', { name: 'XXL-JOB jobs (JSON)' });
    await page.getByLabel('Into the group').click();
    await page.getByRole('option', { name: 'pay' }).waitFor({ state: 'attached' });
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'The text is not JSON; nothing was converted' });
    await field.fill('- id: 1\n  executorHandler: settle\n');
    await page.getByRole('button', { name: 'Convert' }).click();
    await refused.getByRole('button', { name: 'line 1, column 1' }).waitFor();
    await refused.getByText('each job is an object with the member executorHandler or glueType').waitFor();
    await page
      .getByLabel('Choose a file – XXL-JOB jobs (JSON)')
      .last()
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('[{"id": 1\n "jobDesc": ""}]') });
    await page.getByRole('button', { name: 'Convert' }).click();
    await refused.getByText('expected a comma or }').waitFor();
    await refused.getByRole('button', { name: 'line 2, column 2' }).click();
    const { value, start } = await field.evaluate((area) => {
      const { value, selectionStart } = area as unknown as HTMLTextAreaElement;
      return { value, start: selectionStart };
    });
    expect(value.slice(start)).toBe('"jobDesc": ""}]');
  });
});

describe('jobs of PowerJob', () => {
  it('are taken in from YAML, by other names', async () => {
    const page = await house.visit('/transfer?tab=import&from=powerjob');
    const rows = [
      { jobName: 'nightly', timeExpressionType: 2, timeExpression: '0 0 2 * * ?', processorType: 1, processorInfo: 'a.Nightly' },
    ];
    await page.getByRole('textbox', { name: 'PowerJob jobs (JSON)' }).fill(JSON.stringify(rows));
    await page.getByLabel('Into the group').click();
    await page.getByRole('option', { name: 'pay' }).waitFor({ state: 'attached' });
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByText('One job was converted').waitFor();
    const yaml =
      'schema: evenkeel.configuration\nschemaVersion: 1\njobs:\n  - group: elsewhere\n    key: nightly\n    handler: a.Nightly\n    owner: ann\n    schedule: {kind: manual}\n';
    await page.getByLabel('Text of the file').fill(yaml.replace('{kind: manual}', '{kind: nothing}'));
    await page.getByRole('button', { name: 'Check (writes nothing)' }).click();
    await page.getByRole('button', { name: /line 8/ }).waitFor();
    await page.getByLabel('Text of the file').fill(yaml);
    await page.getByRole('button', { name: 'Check (writes nothing)' }).click();
    await page.getByRole('button', { name: /line 4/ }).waitFor();
    await page.getByRole('button', { name: 'Rename groups and owners' }).click();
    await page.getByLabel('Import Group elsewhere as').fill('pay');
    await page.getByLabel('Import Owner ann as').fill('eve');
    await page.getByRole('button', { name: 'Check (writes nothing)' }).click();
    await page.getByText('Create 1').waitFor();
    await page.getByRole('button', { name: /^Apply$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 created, 0 overwritten').waitFor();
    expect(await jobs()).toContainEqual(expect.objectContaining({ key: 'nightly', group: 'pay', owner: 'eve', state: 'paused' }));

    await page.goto('/transfer?group=pay');
    await page.getByText('YAML', { exact: true }).click();
    await page.waitForURL(/format=yaml/);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('evenkeel-configuration.yaml');
  });
});
