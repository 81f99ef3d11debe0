import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../../../src/app.module.js';
import { UsersService } from '../../../../src/auth/users.service.js';
import { openBackends } from '../../../../src/backends/backends.js';
import { runMigrations } from '../../../../src/backends/migrate.js';
import type { GlobalRole, Role } from '../../../../src/decisions/permissions.js';
import { GroupsService } from '../../../../src/jobs/groups.service.js';
import { type Config, loadConfig } from '../../../../src/platform/config.js';
import { createHttpApp } from '../../../../src/platform/http/create-http-app.js';
import { AdminBrowser, PASSWORD } from '../../../support/admin-browser.js';
import { type AdapterName, type FreshDatabase, freshDatabase } from '../../../support/services.js';

/** A whole node in this process, on a database of its own. */
export class ConsoleWorld {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly database: FreshDatabase,
  ) {}

  static async start(adapter: AdapterName, groups = ['own', 'other'], env: Record<string, string> = {}): Promise<ConsoleWorld> {
    const database = await freshDatabase(adapter);
    const config = loadConfig({ ...database.env, PORT: '0', ...env });
    if (adapter === 'cluster') {
      const backends = await openBackends(config, 'migrate');
      await runMigrations(backends.dataSource);
      await backends.close();
    }
    const { app, url } = await ConsoleWorld.node(config);
    for (const key of groups) await app.get(GroupsService).ensure(key);
    await app.get(UsersService).ensureAdmin(PASSWORD);
    return new ConsoleWorld(app, url, database);
  }

  /** One more node on the same database; sign in with what the first one knows. Stop it before the first. */
  async another(env: Record<string, string> = {}): Promise<ConsoleWorld> {
    const { app, url } = await ConsoleWorld.node(loadConfig({ ...this.database.env, PORT: '0', ...env }));
    return new ConsoleWorld(app, url, { ...this.database, drop: async () => {} });
  }

  private static async node(config: Config): Promise<{ app: NestFastifyApplication; url: string }> {
    const app = await createHttpApp(AppModule.forRoot(config), {
      trustProxy: config.trustedProxies,
      nest: { logger: ['error'], abortOnError: false },
    });
    await app.listen(0, '127.0.0.1');
    return { app, url: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
  }

  browser(headers?: Record<string, string>): AdminBrowser {
    return new AdminBrowser(this.url, headers);
  }

  async signIn(username = 'admin'): Promise<AdminBrowser> {
    const browser = this.browser();
    const answer = await browser.post('/api/session', { username, password: PASSWORD });
    if (answer.status !== 200) throw new Error(`${username} cannot sign in: ${answer.text}`);
    return browser;
  }

  /** Makes the user and signs them in. */
  async person(username: string, role: GlobalRole, grants: Record<string, Role> = {}): Promise<AdminBrowser> {
    await this.app.get(UsersService).create(username, PASSWORD, role, grants);
    return this.signIn(username);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }
}
