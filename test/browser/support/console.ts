/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { AdminBrowser, PASSWORD } from '../../support/admin-browser.js';
import { Installation } from '../../support/installation.js';
import { waitFor } from '../../support/wait-for.js';
import { equipped } from './equipped.js';

// A page loads in a second, on a busy machine in ten. Deadlines only decide how long a failing test takes.
jest.setTimeout(180_000);
const LOOK_MS = 45_000;

const ARGS = [
  '--no-sandbox',
  // The pages of a profile share a process, and with it what it has compiled and laid out: each new page costs half as much.
  '--process-per-site',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export { PASSWORD };

export interface Visit {
  language?: 'en' | 'zh-CN';
  theme?: 'light' | 'dark';
  user?: string | null;
  /** In a browser that no later test is given: it is changed for good. */
  alone?: boolean;
  /** Statuses the test brings about on purpose: the browser reports each as an error. */
  expects?: number[];
}

/** A browser profile and whom it belongs to; null for one that is used once. */
interface Seat {
  context: BrowserContext;
  owner: string | null;
  /** Stays open between tests, beside the console: the process of the profile's pages would end with the last of them. */
  anchor?: Page;
}

/** A real centre, a real browser, and what the pages complained about. */
export class Console {
  /** Path in front of everything, without the last slash. */
  basePath = '';
  readonly complaints: string[] = [];
  /** Of this test. A second visit of the same person within one is another browser. */
  private readonly taken: Seat[] = [];
  /** Of earlier tests, with what they have loaded and who is signed in there. */
  private readonly idle: Seat[] = [];
  private readonly asked = new WeakMap<Page, Set<Request>>();
  private readonly callers = new Map<string, AdminBrowser>();

  private constructor(
    readonly house: Installation,
    readonly browser: Browser,
    /** Where the browser finds it; a test may put a proxy there. */
    public url: string,
  ) {}

  static async start(groups = ['default'], env: Record<string, string> = {}): Promise<Console> {
    const house = await Installation.bare(groups);
    const [{ url }, browser] = await Promise.all([
      house.startNode('n1', { EVENKEEL_ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn', ...env }),
      chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGS }),
    ]);
    house.equip(await equipped(new AdminBrowser(url, {}), groups));
    return new Console(house, browser, url);
  }

  /** The admin API as a script uses it. */
  async api(username = 'admin'): Promise<AdminBrowser> {
    const known = this.callers.get(username);
    if (known) return known;
    const caller = new AdminBrowser(`${this.url}${this.basePath}`, {});
    const answer = await caller.post('/api/session', { username, password: PASSWORD });
    if (answer.status !== 200) throw new Error(`${username} cannot sign in: ${answer.text}`);
    this.callers.set(username, caller);
    return caller;
  }

  /** Answers what was made; throws if it was refused. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  async made(path: string, body: unknown = {}): Promise<any> {
    const answer = await (await this.api()).post(`/api/${path}`, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  async read(path: string): Promise<any> {
    return (await (await this.api()).get(`/api/${path}`)).json;
  }

  /** A tab that knows nothing of earlier ones, signed in unless `user` is null. */
  async visit(path: string, visit: Visit = {}): Promise<Page> {
    const { language = 'en', theme = 'light', user = 'admin', alone = user === null, expects = [] } = visit;
    const { context } = await this.seat(user, language, alone);
    const page = await context.newPage();
    this.listen(page, expects);
    // Runs before the page's own scripts, and a reload finds what the page itself has kept since.
    await page.addInitScript((preferences) => {
      if (sessionStorage.getItem('test.seen')) return;
      sessionStorage.setItem('test.seen', 'yes');
      localStorage.clear();
      localStorage.setItem('evenkeel.preferences', preferences);
    }, JSON.stringify({ language, theme }));
    await page.goto(path);
    return page;
  }

  /**
   * Leads the console to another of its pages without loading it anew, as a link does, and waits until it is there with all it asked
   * for. A page of the same path could not be told from the one before: it is loaded. Another object of the same route can: its page is
   * drawn anew, with a title of its own.
   */
  async go(page: Page, path: string): Promise<void> {
    const target = new URL(`${this.basePath}/${path}`, this.url);
    const here = new URL(page.url());
    if (here.origin !== target.origin || here.pathname === target.pathname) {
      this.asked.get(page)?.clear();
      await page.goto(target.href);
    } else {
      await page.evaluate((to) => {
        for (const title of document.querySelectorAll('h1')) title.dataset.left = 'yes';
        history.pushState(null, '', to);
      }, target.href);
    }
    await page.locator('h1:not([data-left])').first().waitFor();
    await this.arrived(page);
  }

  /** Nothing is loading, and no answer has made the page ask for more: what is shown is what there is. */
  async arrived(page: Page): Promise<void> {
    await waitFor(
      'every question of the page is answered',
      async () => {
        if (this.asked.get(page)?.size !== 0) return false;
        await page.evaluate(drawnAndIdle);
        return this.asked.get(page)?.size === 0 && (await page.locator('.ant-skeleton').count()) === 0;
      },
      LOOK_MS,
    );
  }

  private async seat(user: string | null, language: string, alone: boolean): Promise<Seat> {
    const owner = alone ? null : `${user} ${language}`;
    const free = owner === null ? -1 : this.idle.findIndex((seat) => seat.owner === owner);
    const seat = free < 0 ? await this.newSeat(owner, language) : (this.idle.splice(free, 1)[0] as Seat);
    this.taken.push(seat);
    if (user !== null) await this.signIn(seat.context, user);
    return seat;
  }

  private async newSeat(owner: string | null, language: string): Promise<Seat> {
    const context = await this.open(language);
    if (owner === null) return { context, owner };
    const anchor = await context.newPage();
    await anchor.goto(`${this.house.nodes[0]?.url}/healthz`);
    return { context, owner, anchor };
  }

  private async open(language: string): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width: 1440, height: 1000 },
      locale: language,
      timezoneId: 'Asia/Shanghai',
      baseURL: this.url,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(LOOK_MS);
    return context;
  }

  /** A session that an earlier test has left is good, unless it has ended. */
  private async signIn({ request }: BrowserContext, username: string): Promise<void> {
    const session = `${this.url}${this.basePath}/api/session`;
    if ((await request.get(session)).ok()) return;
    const answer = await request.post(session, { data: { username, password: PASSWORD } });
    if (!answer.ok()) throw new Error(`${username} cannot sign in: ${answer.status()}`);
  }

  private listen(page: Page, expects: number[]): void {
    const ignored = new RegExp(`Failed to load resource.*status of (${[401, ...expects].join('|')})\\b`);
    page.on('console', (message) => {
      const loud = message.type() === 'error' || message.type() === 'warning';
      if (loud && !ignored.test(message.text())) this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.stack}`));
    const asked = new Set<Request>();
    this.asked.set(page, asked);
    page.on('request', (request) => {
      const { origin, protocol, pathname } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(this.url).origin)
        this.complaints.push(`asked another origin: ${request.url()}`);
      if (pathname.includes('/api/') && !pathname.endsWith('/api/stream')) asked.add(request);
    });
    page.on('requestfinished', (request) => asked.delete(request));
    page.on('requestfailed', (request) => asked.delete(request));
  }

  /** After each test: the pages must have had nothing to complain about, and are closed. */
  async settle(): Promise<void> {
    for (const seat of this.taken.splice(0)) {
      if (seat.owner === null) await seat.context.close();
      else {
        const pages = seat.context.pages().filter((page) => page !== seat.anchor);
        await Promise.all(pages.map((page) => page.close()));
        this.idle.push(seat);
      }
    }
    expect(this.complaints.splice(0)).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.house.remove();
  }
}

/** Runs in the page: resolves when what was answered is drawn, and what it led to has begun. */
function drawnAndIdle(): Promise<void> {
  return new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => done(), { timeout: 5_000 }))),
  );
}
