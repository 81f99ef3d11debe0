/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { Browser as Caller, PASSWORD } from '../../integration/admin/support/console-world.js';
import { Installation } from '../../support/installation.js';

// A page loads in a second, on a busy machine in ten.
jest.setTimeout(90_000);

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
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
  /** Statuses the test brings about on purpose: the browser reports each as an error. */
  expects?: number[];
}

/** A real centre, a real browser, and what the pages complained about. */
export class Console {
  /** Path in front of everything, without the last slash. */
  basePath = '';
  readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];
  private readonly callers = new Map<string, Caller>();

  private constructor(
    readonly house: Installation,
    readonly browser: Browser,
    /** Where the browser finds it; a test may put a proxy there. */
    public url: string,
  ) {}

  static async start(groups = ['default'], env: Record<string, string> = {}): Promise<Console> {
    const house = await Installation.create('embedded', groups, 100);
    const { url } = await house.startNode('n1', { EVENKEEL_ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn', ...env });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    return new Console(house, browser, url);
  }

  /** The admin API as a script uses it. */
  async api(username = 'admin'): Promise<Caller> {
    const known = this.callers.get(username);
    if (known) return known;
    const caller = new Caller(`${this.url}${this.basePath}`, {});
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

  /** A browser of its own, signed in unless `user` is null. */
  async visit(path: string, { language = 'en', theme = 'light', user = 'admin', expects = [] }: Visit = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1440, height: 1000 },
      locale: language,
      timezoneId: 'Asia/Shanghai',
      baseURL: this.url,
      reducedMotion: 'reduce',
    });
    this.contexts.push(context);
    context.setDefaultTimeout(15_000);
    if (user !== null) {
      const answer = await context.request.post(`${this.url}${this.basePath}/api/session`, {
        data: { username: user, password: PASSWORD },
      });
      if (!answer.ok()) throw new Error(`${user} cannot sign in: ${answer.status()}`);
    }
    await context.addInitScript((preferences) => {
      if (!localStorage.getItem('evenkeel.preferences')) localStorage.setItem('evenkeel.preferences', preferences);
    }, JSON.stringify({ language, theme }));
    const page = await context.newPage();
    this.listen(page, expects);
    await page.goto(path);
    return page;
  }

  private listen(page: Page, expects: number[]): void {
    const ignored = new RegExp(`Failed to load resource.*status of (${[401, ...expects].join('|')})\\b`);
    page.on('console', (message) => {
      const loud = message.type() === 'error' || message.type() === 'warning';
      if (loud && !ignored.test(message.text())) this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.stack}`));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(this.url).origin)
        this.complaints.push(`asked another origin: ${request.url()}`);
    });
  }

  /** After each test: the pages must have had nothing to complain about, and are closed. */
  async settle(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close();
    expect(this.complaints.splice(0)).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.house.remove();
  }
}
