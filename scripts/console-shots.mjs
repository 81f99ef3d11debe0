// `npm run console:shots [-- <folder>] [options]`: starts a centre and workers of its own, gives them things to do, and takes a picture of
// every page in both languages and both themes. Needs a build and a Chromium (CHROMIUM names it). Prints the files.
//
//   --only=tasks,jobs     pages whose name starts so
//   --language=en         one language, en or zh-CN (zh for short); --theme=dark one theme, light or dark
//   --width=390           as wide as a phone; --zoom=2 at 200 %; --height=2400 for what is below. They go into the names of the files.
//   --missing             only what the folder does not have yet: goes on where an earlier run was ended
//   --stay                keeps the house after the pictures, until Ctrl-C, and says how others draw it: --house=<file>
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist', 'src', 'cli', 'evenkeel.js');
const PASSWORD = 'pictures only, thrown away';
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const { values: wanted, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    language: { type: 'string' },
    theme: { type: 'string' },
    width: { type: 'string', default: '1440' },
    height: { type: 'string', default: '900' },
    zoom: { type: 'string', default: '1' },
    missing: { type: 'boolean', default: false },
    stay: { type: 'boolean', default: false },
    house: { type: 'string' },
  },
});
const only = wanted.only?.split(',');
const languages = chosen('language', ['zh-CN', 'en'], { zh: 'zh-CN' });
const themes = chosen('theme', ['light', 'dark']);
const folder = resolve(ROOT, positionals[0] ?? 'shots');
/** The pictures' receiver of callbacks is on this machine. */
const LOOPBACK = { CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8', CALLBACK_ALLOW_HTTP: 'true', CALLBACK_ALLOW_PORTS: '1-65535' };

/** A file that is looked at: with faults, and with differences. */
const checked = (change) => async (page) => {
  const file = await page.evaluate(async () => (await fetch('api/export?group=pay')).json());
  change(file);
  await page.locator('textarea').fill(JSON.stringify(file, null, 2));
  await page.locator('.transfer-form button[class*=primary]').click();
  await page.locator('[data-row]').first().waitFor();
};
const AS_TABLE = /^(查看表格|View as table)$/;
/** What is done on a page before its picture is taken. */
const BEFORE = {
  'overview-table': async (page) => {
    const buttons = page.getByRole('button', { name: AS_TABLE });
    await buttons.first().waitFor();
    while ((await buttons.count()) > 0) await buttons.first().click();
    await page
      .locator('.chart-grid')
      .first()
      .evaluate((grid) => {
        grid.scrollIntoView();
        // What there is has come in the last minutes.
        for (const part of grid.querySelectorAll('*')) part.scrollTop = part.scrollHeight;
      });
  },
  'task-logs': async (page) => {
    const open = page.locator('.ant-collapse-header[aria-expanded=true], .ant-collapse-item-active > .ant-collapse-header');
    if ((await open.count()) > 0) await open.first().click();
    await page.locator('.log-text').first().waitFor();
  },
  'job-conflict': async (page) => {
    // Somebody else saves while this one still writes.
    const jobId = new URL(page.url()).pathname.split('/').at(-2);
    await page.locator('textarea').first().fill('在供应商回复之前暂停 / paused until the vendor answers');
    await page.evaluate(async (id) => {
      const { definition, version } = await (await fetch(`api/jobs/${id}`)).json();
      const body = { ...definition, version, priority: 3, description: `waits for the vendor (${version})` };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`api/jobs/${id}`, { method: 'PUT', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(await answer.text());
    }, jobId);
    await page.locator('button.ant-btn-primary').last().click();
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
  },
  'job-versions': async (page) => {
    await page.locator('.ant-collapse-header').first().click();
    await page.locator('.ant-collapse-item-active [data-row]').first().waitFor();
  },
  'transfer-errors': checked(({ jobs }) => {
    jobs[0].schedule = { kind: 'cron', expression: '61 * * * *' };
    jobs[1].group = 'nowhere';
  }),
  'transfer-convert': async (page) => {
    const rows = [
      { id: 1, jobDesc: '每日结算', author: 'ops', executorHandler: 'settle', scheduleConf: '0 30 2 ? * 2-6', childJobId: '2' },
      { id: 2, jobDesc: 'report', executorHandler: 'report', scheduleType: 'NONE', executorRouteStrategy: 'SHARDING_BROADCAST' },
      { id: 3, jobDesc: '旧脚本', glueType: 'GLUE_SHELL', executorHandler: '' },
    ];
    await page.locator('textarea').first().fill(JSON.stringify(rows));
    await page.locator('.transfer-form .ant-select').first().click();
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    await page.locator('.panel button[class*=primary]').click();
    await page.locator('.ant-alert').waitFor();
  },
  'transfer-checked': checked(({ groups, jobs }) => {
    groups[0].maxRunning = 3;
    jobs[0].description = 'changed in the file';
    jobs.push({ ...jobs[0], key: 'made-from-the-file' });
  }),
};

/** Who looks at a page, if not the admin. */
const SEEN_BY = { 'no-rights': 'nobody', 'no-rights-overview': 'nobody' };

const children = [];
const receiver = createServer(receive);
mkdirSync(folder, { recursive: true });
if (wanted.house) {
  const { url, pages } = JSON.parse(readFileSync(wanted.house, 'utf8'));
  await shoot(url, pages);
} else await shootOwn();

/** What of an option's choices is asked for: all, unless it is stated. */
function chosen(option, choices, short = {}) {
  const stated = wanted[option];
  if (stated === undefined) return choices;
  const meant = short[stated] ?? stated;
  if (choices.includes(meant)) return [meant];
  console.error(`--${option}=${stated}: there is ${choices.join(' and ')}`);
  process.exit(2);
}

/** A house that is there for its pictures only. */
async function shootOwn() {
  const data = mkdtempSync(join(tmpdir(), 'evenkeel-shots-'));
  const stop = new Promise((done) => process.once('SIGINT', done).once('SIGTERM', done));
  try {
    const { url } = await start(['start'], {
      DATA_DIR: data,
      EVENKEEL_ADMIN_PASSWORD: PASSWORD,
      PORT: '0',
      NODE_ID: 'node-1',
      ...LOOPBACK,
    });
    const centre = await signIn(url);
    const pages = await seed(centre, url, data);
    const fresh = await start(['start'], {
      DATA_DIR: join(data, 'fresh'),
      EVENKEEL_ADMIN_PASSWORD: PASSWORD,
      PORT: '0',
      NODE_ID: 'node-1',
    });
    pages.push(['first-run', `${fresh.url}/overview`]);
    const house = join(folder, 'house.json');
    if (wanted.stay) writeFileSync(house, JSON.stringify({ url, pages }));
    await shoot(url, pages);
    if (!wanted.stay) return;
    console.log(`stays: console:shots -- --house=${house}`);
    await stop;
  } finally {
    receiver.close();
    receiver.closeAllConnections();
    for (const child of children.reverse()) await end(child);
    rmSync(data, { recursive: true, force: true });
  }
}

async function start(args, env) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  return new Promise((done, failed) => {
    child.once('message', done);
    child.once('exit', (code) => failed(new Error(`${args[0]} ended with ${code}`)));
  });
}

function end(child) {
  if (child.exitCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  return Promise.race([ended, delay(8_000).then(() => child.kill('SIGKILL'))]);
}

async function signIn(url) {
  let cookie;
  const call = async (method, path, body) => {
    const response = await fetch(`${url}/api/${path}`, {
      method,
      headers: { ...(cookie ? { cookie } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    cookie ??= response.headers.get('set-cookie')?.split(';', 1)[0];
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  await call('POST', 'session', { username: 'admin', password: PASSWORD });
  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
  };
}

/** Answers challenges, fails under /broken, and takes everything else. */
function receive(request, response) {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { type, data: told } = JSON.parse(body);
    if (type === 'endpoint.verification') response.end(JSON.stringify({ challenge: told.challenge }));
    else response.writeHead(request.url === '/broken' ? 500 : 200).end(request.url === '/broken' ? 'out of disk' : 'thanks');
  });
}

/** As a partner calls: signed by its key. */
async function asPartner(url, { key, secret }, target, content, mistake = {}) {
  const body = JSON.stringify(content);
  const parts = {
    accessKey: key.accessKey,
    timestamp: String(Math.floor(Date.now() / 1000)),
    nonce: randomUUID(),
    method: 'POST',
  };
  const response = await fetch(url + target, {
    method: 'POST',
    headers: { ...signedHeaders({ ...parts, target, body, ...mistake }, secret), 'content-type': 'application/json' },
    body,
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Endpoints that work, fail, are paused and are refused: to the centre's own store nothing is ever sent. */
async function seedCallbacks(centre, url, app, partner) {
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const at = `http://127.0.0.1:${receiver.address().port}`;
  await centre.put(`apps/${app.id}/callbacks`, { hosts: ['127.0.0.1'] });
  const made = [];
  for (const place of [`${at}/ok`, `${at}/broken`, `${at}/paused`, 'http://127.0.0.1:6379/hook'])
    made.push((await asPartner(url, partner, '/openapi/v1/webhook-endpoints', { url: place })).id);
  await delay(2_500);
  const [ok, broken, paused, refused] = made;
  for (let n = 0; n < 3; n++)
    await asPartner(url, partner, '/openapi/v1/tasks', { handler: 'echo', group: 'default', params: { order: n } });
  await centre.post(`callbacks/endpoints/${paused}/disable`, { reason: 'partner moves house' });
  await centre.post(`callbacks/endpoints/${ok}/rotate-secret`, { graceSeconds: 3_600 });
  const to = async (endpoint) => (await centre.get(`callbacks/deliveries?endpoint=${endpoint}&limit=1`)).items[0]?.id;
  return { ok, paused, to: { ok: () => to(ok), broken: () => to(broken), refused: () => to(refused) } };
}

/** Id of the newest task that fits, as soon as there is one. */
async function found(centre, query) {
  for (let left = 100; left > 0; left--) {
    const [task] = (await centre.get(`tasks?${query}`)).items;
    if (task) return task.id;
    await delay(200);
  }
  throw new Error(`no task is ${query}`);
}

/** A small house with something of everything: what runs, waits, is late, failed, held and drained. */
async function seed(centre, url, data) {
  for (const [key, maxRunning] of [
    ['default', 50],
    ['pay', 2],
    ['held', 10],
    ['nobody', 10],
    ['old-reports', 10],
  ]) {
    await centre.post('groups', { key, maxRunning }).catch(() => {}); // The first one is there from the start.
  }
  await centre.post('groups/old-reports/archive', { reason: 'merged into default' });
  const environment = { name: '生产 PROD', colour: '#c41d3a', production: true };
  await centre.put('settings/environment', { revision: '0', environment });
  const app = await centre.post('apps', { name: '商城 mall', defaultGroup: 'pay', groups: ['pay', 'default', 'held'] });
  const partner = await centre.post('keys', { kind: 'partner', app: app.id, label: 'mall production' });
  await centre.post('keys', { kind: 'partner', app: app.id, label: 'mall old' });
  const worker = await centre.post('keys', { kind: 'worker', groups: ['default', 'pay', 'held'], label: 'fleet' });
  for (const [id, slots] of [
    ['w-1', 8],
    ['w-2', 4],
    ['w-3', 16],
  ]) {
    const args = ['worker', '--centre', url, '--group', 'default', 'pay', 'held', '--id', id, '--slots', `${slots}`];
    await start([...args, '--data-dir', join(data, id), '--drain', '100'], {
      EVENKEEL_WORKER_KEY: worker.key.accessKey,
      EVENKEEL_WORKER_SECRET: worker.secret,
    });
  }
  await centre.post('groups/held/hold', { reason: '盘点期间暂缓 / stocktaking' });
  const job = async (key, group, handler, schedule, more = {}) =>
    centre.post('jobs', { key, group, handler, schedule, timeZone: 'Asia/Shanghai', ...more });
  const every = { kind: 'every', everyMs: 5_000 };
  const night = await job(
    'nightly-settlement',
    'pay',
    'sleep',
    { kind: 'cron', expression: '30 2 * * MON-FRI' },
    {
      owner: 'payments',
      tags: ['money', 'night'],
      description: '夜间结算：核对前一日的全部支付。',
      paramsText: '{"ms":9007199254740993}',
    },
  );
  await job('minute-report', 'default', 'echo', every, { paramsText: '{"answer":42}' });
  const broken = await job('broken-import', 'default', 'fail', every, { retry: { kind: 'none' } });
  const chain = await job('b-reconcile', 'pay', 'echo', { kind: 'upstream' }, { upstreams: [night.id] });
  const books = await job('c-close-the-books', 'pay', 'echo', { kind: 'upstream' }, { upstreams: [chain.id, broken.id] });
  const totals = await job(
    'c-check-totals',
    'default',
    'fail',
    { kind: 'upstream' },
    { upstreams: [chain.id], retry: { kind: 'none' } },
  );
  await job('d-mail-the-partners', 'default', 'echo', { kind: 'upstream' }, { upstreams: [books.id, totals.id] });
  await job('d-archive', 'default', 'echo', { kind: 'cron', expression: '0 5 * * *' }, { upstreams: [books.id] });
  await centre.post(`jobs/${night.id}/trigger`, { paramsText: '{"ms":100}', reason: 'by hand' });
  const { definition, version } = await centre.get(`jobs/${night.id}`);
  await centre.put(`jobs/${night.id}`, { ...definition, version, timeoutMs: 7_200_000, tags: ['money', 'night', 'sox'] });
  // While the group has room: the flow of that task is what a picture shows.
  const followed = await found(centre, `job=${chain.id}&state=SUCCEEDED`);
  const slow = await job('slow-sync', 'pay', 'sleep', every, { paramsText: '{"ms":20000}', overlap: 'allow', maxParallel: 5 });
  await job('new-york-open', 'default', 'echo', { kind: 'cron', expression: '30 9 * * MON-FRI', timeZone: 'America/New_York' });
  const sharded = await job('by-region', 'default', 'shards', { kind: 'manual' }, { shards: 3 });
  await centre.post(`jobs/${sharded.id}/trigger`);
  const endless = await job(
    'rebuild-index',
    'default',
    'sleep',
    { kind: 'manual' },
    { paramsText: '{"ms":3600000}', timeoutMs: 7_200_000 },
  );
  await job('waits-in-held', 'held', 'echo', every, { overlap: 'allow', maxParallel: 9 });
  await job('no-handler-here', 'default', 'unknown-handler', { kind: 'manual' });
  const long = await job('a-job-with-a-rather-long-name-that-has-to-fit-somewhere-too', 'default', 'noop', {
    kind: 'cron',
    expression: '0 0 29 2 *',
  });
  await centre.post(`jobs/${long.id}/pause`, { reason: 'waiting for the vendor' });
  const lost = await centre.post(`jobs/${(await centre.get('jobs?q=no-handler-here')).items[0].id}/trigger`);
  for (let i = 0; i < 4; i++) await centre.post(`jobs/${slow.id}/trigger`, { force: true });
  await centre.post('users', { username: 'op', password: PASSWORD, role: 'operator' });
  await centre.post('users', {
    username: 'viewer',
    password: PASSWORD,
    role: 'none',
    grants: { pay: 'viewer', default: 'operator' },
  });
  await centre.post('users', { username: 'nobody', password: PASSWORD, role: 'none' });
  const callbacks = await seedCallbacks(centre, url, app, partner);
  await asPartner(url, partner, '/openapi/v1/tasks', { handler: 'echo' }, { method: 'post' }).catch(() => {}); // As a mistaken partner signs.
  await asPartner(url, partner, '/openapi/v1/tasks', { handler: 'echo' }, { timestamp: '1700000000' }).catch(() => {});
  const stranger = { key: { accessKey: 'ak_live_0000000000000000000a' }, secret: 'of nobody' };
  await asPartner(url, stranger, '/openapi/v1/tasks', { handler: 'echo' }).catch(() => {});
  const rotating = await centre.post('apps', { name: 'rotating', defaultGroup: 'pay', groups: ['pay'] });
  const old = await centre.post('keys', { kind: 'partner', app: rotating.id, label: 'yearly' });
  await centre.post(`keys/${old.key.accessKey}/rotate`, { overlapSeconds: 86_400 });
  await asPartner(url, old, '/openapi/v1/tasks', { handler: 'echo' });
  await delay(14_000);
  await centre.post('workers/w-3/drain', { reason: 'kernel upgrade' });
  await centre.post('workers/w-2/cordon', { reason: 'odd noises' });
  // From here on only one worker is left to run it, so it still runs in the last picture.
  const { taskId: running } = await centre.post(`jobs/${endless.id}/trigger`);
  const day = 86_400_000;
  const from = new Date(Math.floor(Date.now() / day - 3) * day).toISOString();
  await centre.post(`jobs/${night.id}/backfill`, { from, until: new Date().toISOString(), reason: 'the source was late' });
  const bulk = await centre.post('bulk', {
    kind: 'tasks.cancel',
    filter: { state: ['PENDING'], group: ['held'], trigger: 'schedule', from: new Date(Date.now() - 3_600_000).toISOString() },
    reason: 'clean up',
  });
  await delay(3_000);
  const task = async (query) => (await centre.get(`tasks?${query}`)).items[0]?.id ?? lost.taskId;
  const chained = await task(`job=${night.id}&state=SUCCEEDED`);
  const failed = await task(`job=${broken.id}&state=FAILED`);
  const { flowId } = await centre.get(`tasks/${followed}`);
  const logged = await task(`job=${sharded.id}&trigger=shard&state=SUCCEEDED`);
  const rejected = (await centre.get(`rejected-requests?app=${app.id}`)).items;
  const pages = {
    overview: 'overview',
    'overview-table': 'overview?range=6h',
    tasks: 'tasks',
    'tasks-failed': 'tasks?state=FAILED&group=default',
    'tasks-by-error': 'tasks?by=error',
    'tasks-none': 'tasks?handler=does-not-exist',
    'task-failed': `tasks/${failed}?tab=attempts`,
    'task-late': `tasks/${lost.taskId}`,
    'task-running': `tasks/${running}`,
    'task-params': `tasks/${await task(`job=${night.id}`)}?tab=params`,
    'task-related': `tasks/${chained}?tab=related`,
    'task-logs': `tasks/${logged}?tab=logs`,
    jobs: 'jobs',
    'jobs-peek': `jobs?peek=${night.id}`,
    'jobs-failing': 'jobs?view=failing',
    job: `jobs/${night.id}`,
    'job-failing': `jobs/${broken.id}`,
    'job-tasks': `jobs/${night.id}?tab=tasks`,
    'job-schedule': `jobs/${night.id}?tab=schedule`,
    'job-config': `jobs/${night.id}?tab=config`,
    'job-versions': `jobs/${night.id}?tab=versions`,
    'job-edit': `jobs/${night.id}/edit`,
    'job-new': 'jobs/new',
    'job-conflict': `jobs/${long.id}/edit`,
    calendar: 'calendar',
    'calendar-week': 'calendar?span=week',
    workers: 'workers',
    worker: 'workers/w-1',
    'workers-peek': 'workers?peek=w-2',
    'worker-drained': 'workers/w-3',
    'worker-cordoned': 'workers/w-2',
    groups: 'groups',
    'groups-archived': 'groups?archived=true',
    'group-archived': 'groups/old-reports',
    group: 'groups/held',
    keys: 'keys',
    key: `keys/${partner.key.accessKey}`,
    'key-rotating': `keys/${old.key.accessKey}`,
    'keys-rejected': `keys/rejected?app=${app.id}`,
    'keys-unknown': 'keys/rejected',
    tester: 'keys/tester',
    'tester-loaded': `keys/tester?rejected=${rejected.find(({ code }) => code === 'auth_failed')?.id}`,
    graph: 'graph',
    'graph-card': `graph?job=${books.id}`,
    'graph-focus': `graph?focus=${chain.id}&depth=1`,
    'graph-list': 'graph?view=list',
    'graph-flow': `graph?focus=${night.id}&flow=${flowId}&job=${chain.id}`,
    'graph-none': 'graph?group=nobody',
    callbacks: 'callbacks',
    'callbacks-endpoints': 'callbacks?tab=endpoints',
    'callbacks-peek': `callbacks?peek=${await callbacks.to.broken()}`,
    'callbacks-none': 'callbacks?task=task_01jzzzzzzzzzzzzzzzzzzzzzzz',
    delivery: `callbacks/deliveries/${await callbacks.to.ok()}`,
    'delivery-failing': `callbacks/deliveries/${await callbacks.to.broken()}`,
    'delivery-refused': `callbacks/deliveries/${await callbacks.to.refused()}`,
    endpoint: `callbacks/endpoints/${callbacks.ok}`,
    'endpoint-paused': `callbacks/endpoints/${callbacks.paused}`,
    transfer: 'transfer',
    'transfer-import': 'transfer?tab=import',
    'transfer-errors': 'transfer?tab=import',
    'transfer-checked': 'transfer?tab=import&onConflict=overwrite',
    'transfer-convert': 'transfer?tab=import&from=xxl-job',
    alerts: 'alerts',
    audit: 'audit',
    'audit-peek': `audit?peek=${(await centre.get('audit?action=job.paused')).items[0].id}`,
    bulk: 'bulk',
    'bulk-one': `bulk/${bulk.id}`,
    users: 'users',
    settings: 'settings',
    system: 'system',
    me: 'me',
    missing: 'no/such/page',
    'missing-task': 'tasks/task_01jzzzzzzzzzzzzzzzzzzzzzzz',
    'no-rights': 'tasks',
    'no-rights-overview': 'overview',
    login: 'login',
  };
  return Object.entries(pages);
}

async function shoot(url, pages) {
  if (only && !pages.some(isWanted)) {
    console.error(`--only=${wanted.only}: no page is called so; there is ${pages.map(([name]) => name).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
  const sets = [];
  for (const language of languages) for (const theme of themes) sets.push({ language, theme });
  try {
    for (const set of sets) {
      const drawn = pages
        .filter(isWanted)
        .map(([name, path]) => ({ name, path, file: join(folder, fileName(name, set)) }))
        .filter(({ file }) => !wanted.missing || !existsSync(file));
      if (drawn.length > 0) await shootSet(browser, url, set, drawn);
    }
  } finally {
    await browser.close();
  }
}

function isWanted([name]) {
  return !only || only.some((start) => name.startsWith(start));
}

function fileName(name, { language, theme }) {
  const size = [
    wanted.width === '1440' ? '' : `.${wanted.width}`,
    wanted.height === '900' ? '' : `.h${wanted.height}`,
    wanted.zoom === '1' ? '' : `.x${wanted.zoom}`,
  ].join('');
  return `${name}.${language}.${theme}${size}.png`;
}

/** Zoomed to 200 %, a window has half the room, and each of its points is twice as large. */
async function shootSet(browser, url, { language, theme }, pages) {
  const zoom = Number(wanted.zoom);
  const context = await browser.newContext({
    viewport: { width: Math.round(Number(wanted.width) / zoom), height: Math.round(Number(wanted.height) / zoom) },
    deviceScaleFactor: zoom,
    locale: language,
    timezoneId: 'Asia/Shanghai',
  });
  let seenBy = '';
  const seeAs = async (username, at) => {
    if (seenBy === `${username} ${at}`) return;
    seenBy = `${username} ${at}`;
    const signedIn = await context.request.post(`${at}/api/session`, { data: { username, password: PASSWORD } });
    if (!signedIn.ok()) throw new Error(`not signed in: ${signedIn.status()}`);
  };
  await context.addInitScript(
    (preferences) => localStorage.setItem('evenkeel.preferences', preferences),
    JSON.stringify({ language, theme }),
  );
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) console.error(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${page.url()}: ${error.message}`));
  for (const { name, path, file } of pages) {
    const address = new URL(path, `${url}/`);
    if (name === 'login') await context.clearCookies();
    else await seeAs(SEEN_BY[name] ?? 'admin', address.origin);
    await page.goto(address.href);
    await page.locator('h1, [class*=result-title]').first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.ant-skeleton').length === 0).catch(() => {});
    await BEFORE[name]?.(page);
    await delay(350);
    await page.screenshot({ path: file });
    console.log(file);
  }
  await context.close();
}
