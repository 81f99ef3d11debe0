import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AdminModule } from '../../src/app.module.js';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { type Backends, openBackends } from '../../src/backends/backends.js';
import { runMigrations } from '../../src/backends/migrate.js';
import { CallbackHostsService } from '../../src/callbacks/callback-hosts.service.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { loadConfig } from '../../src/platform/config.js';
import { Folder, Process } from './processes.js';
import { type AdapterName, type FreshDatabase, freshDatabase } from './services.js';

const FAST = 1_000_000;

export interface RunningNode {
  id: string;
  process: Process;
  url: string;
}

export interface WorkerOptions {
  id: string;
  groups?: string[];
  slots?: number;
  /** Where the centre shall reach it: a proxy in front of it, say. */
  advertiseUrl?: string;
  port?: number;
  centre?: string[];
  drainMs?: number;
}

/** An installation of its own: a fresh database, an app with a key, a worker key, and the processes a test starts on it. */
export class Installation {
  readonly nodes: RunningNode[] = [];
  private readonly folders: Folder[] = [];
  private readonly processes: Process[] = [];
  private readonly clients: EvenkeelClient[] = [];
  private readonly workerFolders = new Map<string, Folder>();
  private readonly opened: Backends[] = [];

  private constructor(
    readonly adapter: AdapterName,
    readonly database: FreshDatabase,
    readonly groups: string[],
    private readonly keys: { app: { accessKey: string; secret: string }; worker: { accessKey: string; secret: string } },
    readonly appId: number,
    /** Signs callbacks without an endpoint. */
    readonly callbackSecret: string,
  ) {}

  /** `server`: a database server of the test's own instead of the one all tests share. */
  static async create(adapter: AdapterName, groups = ['default'], maxRunning = 1_000, server?: URL): Promise<Installation> {
    const database = await freshDatabase(adapter, server);
    const config = loadConfig(database.env);
    if (adapter === 'cluster') {
      const backends = await openBackends(config, 'migrate');
      await runMigrations(backends.dataSource);
      await backends.close();
    }
    const context: INestApplicationContext = await NestFactory.createApplicationContext(AdminModule.forRoot(config), {
      logger: false,
    });
    try {
      for (const key of groups) await context.get(GroupsService).ensure(key, { maxRunning });
      const limits = {
        requestsPerSecond: FAST,
        requestBurst: FAST,
        tasksPerSecond: FAST,
        taskBurst: FAST,
        unfinishedTasks: FAST,
      };
      const app = await context.get(AppsService).create({ name: 'test', defaultGroup: groups[0] as string, groups, limits });
      const appKey = await context.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'test' });
      const workerKey = await context.get(AccessKeysService).create({ kind: 'worker', groups, label: 'test' });
      const { secret } = await context.get(CallbackHostsService).set(app.id, ['127.0.0.1', 'localhost']);
      return new Installation(adapter, database, groups, { app: appKey, worker: workerKey }, app.id, secret as string);
    } finally {
      await context.close();
    }
  }

  async startNode(id: string, env: Record<string, string> = {}): Promise<RunningNode> {
    const { process, ready } = await Process.start<{ url: string }>(`node ${id}`, ['start'], {
      ...this.database.env,
      NODE_ID: id,
      PORT: '0',
      ...env,
    });
    this.processes.push(process);
    const node = { id, process, url: ready.url };
    this.nodes.push(node);
    return node;
  }

  node(id: string): RunningNode {
    const found = this.nodes.find((node) => node.id === id);
    if (!found) throw new Error(`no node ${id} was started`);
    return found;
  }

  /** The same id keeps its journal over a restart. */
  async startWorker({
    id,
    groups = this.groups,
    slots = 50,
    advertiseUrl,
    port,
    centre,
    drainMs,
  }: WorkerOptions): Promise<Process> {
    const folder = this.workerFolders.get(id) ?? this.folder();
    this.workerFolders.set(id, folder);
    const args = ['worker', '--centre', ...(centre ?? this.nodes.map(({ url }) => url)), '--group', ...groups, '--id', id];
    args.push('--slots', String(slots), '--data-dir', folder.path, '--open-network', '127.0.0.0/8');
    if (advertiseUrl) args.push('--advertise-url', advertiseUrl);
    if (port) args.push('--port', String(port));
    if (drainMs) args.push('--drain', String(drainMs));
    const { accessKey, secret } = this.keys.worker;
    const { process } = await Process.start(`worker ${id}`, args, {
      EVENKEEL_WORKER_KEY: accessKey,
      EVENKEEL_WORKER_SECRET: secret,
    });
    this.processes.push(process);
    return process;
  }

  get workerKey(): { accessKey: string; secret: string } {
    return this.keys.worker;
  }

  get appKey(): { accessKey: string; secret: string } {
    return this.keys.app;
  }

  client(url = this.nodes[0]?.url as string, retryForMs = 60_000): EvenkeelClient {
    const client = createClient({ url, accessKey: this.keys.app.accessKey, secretKey: this.keys.app.secret, retryForMs });
    this.clients.push(client);
    return client;
  }

  /** Connects to the database as a command does, beside running nodes. */
  async look(): Promise<Backends> {
    const backends = await openBackends(this.database.config, 'command');
    this.opened.push(backends);
    return backends;
  }

  /** Everything the worker has written to its disk, in this life and earlier ones. */
  journalOf(workerId: string): string {
    const { path } = this.workerFolders.get(workerId) as Folder;
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log'));
    return files.map((name) => readFileSync(join(path, name), 'utf8')).join('');
  }

  folder(): Folder {
    const folder = new Folder();
    this.folders.push(folder);
    return folder;
  }

  /** What the processes printed last, for the message of a failed test. */
  get output(): string {
    return this.processes.map(({ name, output }) => `== ${name}\n${output.slice(-15).join('\n')}`).join('\n');
  }

  async remove(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const backends of this.opened) await backends.close();
    await Promise.all(this.processes.map((process) => process.kill()));
    for (const folder of this.folders) folder.remove();
    await this.database.drop();
  }
}
