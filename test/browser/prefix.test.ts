import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

/** A proxy that serves the console under a path and can go away for a while, as a proxy in front of a restarting centre does. */
class PrefixProxy {
  private readonly sockets = new Set<Socket>();
  private up = true;
  private readonly server: Server;
  asked: number[] = [];

  constructor(target: string, prefix: string) {
    const { hostname, port } = new URL(target);
    this.server = createServer((incoming, outgoing) => {
      this.asked.push(Date.now());
      const url = incoming.url ?? '/';
      if (!url.startsWith(prefix)) return void outgoing.writeHead(404).end();
      const path = url.slice(prefix.length - 1);
      const onward = request({ hostname, port, path, method: incoming.method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    this.server.on('connection', (socket) => {
      if (!this.up) return void socket.destroy();
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.up = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.up = true;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

let house: Console;
let proxy: PrefixProxy;
beforeAll(async () => {
  house = await Console.start(['default'], { PUBLIC_PATH: '/sched/' });
  await house.house.startWorker({ id: 'w1', slots: 4 });
  proxy = new PrefixProxy(house.url, '/sched/');
  house.url = await proxy.listen();
  house.basePath = '/sched';
}, 120_000);
afterAll(async () => {
  await house?.stop();
  proxy?.close();
});
afterEach(() => house.settle());

describe('behind a path prefix, over plain http', () => {
  it('every link, the stream and the copy buttons work', async () => {
    const page = await house.visit('/sched/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('status', { name: /^Live/ }).waitFor();
    for (const link of ['Tasks', 'Jobs', 'Calendar', 'Workers', 'Groups', 'API keys', 'Audit', 'Settings']) {
      await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: link }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/sched\//);
    }
    const { id } = await house.made('jobs', { key: 'prefixed', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
    await page.goto(`/sched/jobs/${id}?tab=tasks`);
    await page.getByRole('button', { name: /^Run now/ }).click();
    await page.getByRole('table', { name: 'Tasks' }).getByText('Succeeded').waitFor();
    await page.getByRole('table', { name: 'Tasks' }).getByRole('link').first().click();
    const copy = page.getByRole('button', { name: /^Copy task_/ }).first();
    const copied = (await copy.getAttribute('aria-label'))?.replace('Copy ', '') as string;
    await copy.click();
    // What was copied is what can be pasted.
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').press('Control+v');
    await waitFor('it can be pasted', async () => (await page.getByRole('dialog').getByRole('combobox').inputValue()) === copied);
  });

  it('a lost centre is told with the age of what is shown, and it comes back without a reload or a storm', async () => {
    const page = await house.visit('/sched/tasks');
    await page.getByRole('status', { name: /^Live/ }).waitFor();
    await house.arrived(page);
    const rows = await page.getByRole('table', { name: 'Tasks' }).getByRole('row').count();
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    const tries: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/stream')) tries.push(Date.now());
    });
    proxy.cut();
    const stale = page.getByRole('status', { name: /^Stale|old/i });
    await stale.waitFor();
    const age = async () => Number(/Stale ([\d.]+) s/.exec((await stale.textContent()) ?? '')?.[1] ?? 0);
    const early = await age();
    await waitFor('what is shown grows old, and is told so', async () => (await age()) >= early + 10);
    expect(await page.getByRole('table', { name: 'Tasks' }).getByRole('row').count()).toBe(rows);
    // The stream is tried about once a second at most, and not in step.
    await waitFor('it has tried often enough to be judged', () => tries.length >= 4);
    const seen = [...tries];
    expect(seen.length).toBeLessThanOrEqual(((seen.at(-1) as number) - (seen[0] as number)) / 1_000 + 2);
    expect(new Set(seen.slice(1).map((at, i) => at - (seen[i] as number))).size).toBeGreaterThan(1);
    const from = Date.now();
    proxy.mend();
    await page.getByRole('status', { name: /^Live/ }).waitFor();
    expect(await page.evaluate(() => (window as { stayed?: boolean }).stayed)).toBe(true);
    const perSecond = new Map<number, number>();
    for (const at of proxy.asked.filter((each) => each >= from)) {
      const second = Math.floor(at / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(0, ...perSecond.values())).toBeLessThan(12);
    house.complaints.splice(
      0,
      house.complaints.length,
      ...house.complaints.filter((text) => !/ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET|NETWORK)/.test(text)),
    );
  });

  it('a page whose files a newer build has replaced is loaded once more, by itself, at the same address', async () => {
    const page = await house.visit('/sched/overview', { expects: [404] });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    let anew = false;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) anew = true;
    });
    // The old build's files are no longer there; those of the page that is loaded anew are.
    await page.route(/\/assets\/audit-page-[^/]*\.js/, (route) =>
      anew ? route.continue() : route.fulfill({ status: 404, body: '' }),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sched/audit');
    expect(await page.evaluate(() => 'stayed' in window)).toBe(false);
    house.complaints.splice(
      0,
      house.complaints.length,
      ...house.complaints.filter((text) => !/dynamically imported module|Unable to preload/.test(text)),
    );
  });

  it('a session that ends in the middle of an edit costs nothing typed', async () => {
    const page = await house.visit('/sched/jobs/new');
    await page.getByLabel('Key', { exact: true }).fill('half-typed');
    await waitFor('the draft is kept', () => page.evaluate(() => JSON.stringify({ ...sessionStorage }).includes('half-typed')));
    await house.arrived(page);
    await page.context().clearCookies();
    await page.getByLabel('Key', { exact: true }).fill('half-typed-2');
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await becomes(() => page.getByLabel('Key', { exact: true }).inputValue(), 'half-typed-2');
  });
});
