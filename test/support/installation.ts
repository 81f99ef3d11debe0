import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import type { Backends } from '../../src/backends/backends.js';
import { loadConfig } from '../../src/platform/config.js';
import { Folder, Process } from './processes.js';
import { type AdapterName, type FreshDatabase, freshDatabase, migrate } from './services.js';

/** Limits no test meets. */
export const FAST = 1_000_000;

interface KeyPair {
  accessKey: string;
  secret: string;
}
/** What an installation's app and workers sign with. */
export interface Credentials {
  app: KeyPair;
  worker: KeyPair;
  /** Signs callbacks without an endpoint. */
  callbackSecret: string;
  appId?: number;
}

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
  /** Instead of the installation's own. */
  key?: KeyPair;
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
    private credentials?: Credentials,
  ) {}

  /** `server`: a database server of the test's own instead of the one all tests share. */
  static async create(adapter: AdapterName, groups = ['default'], maxRunning = 1_000, server?: URL): Promise<Installation> {
    const database = await freshDatabase(adapter, server);
    const config = loadConfig(database.env);
    if (adapter === 'cluster') await migrate(config);
    const { prepareInstallation } = await import('./prepared-installation.js');
    return new Installation(adapter, database, groups, await prepareInstallation(config, groups, maxRunning));
  }

  /** Without groups, app and keys: whoever starts its node makes them there, and hands over what they sign with. */
  static async bare(groups: string[]): Promise<Installation> {
    return new Installation('embedded', await freshDatabase('embedded'), groups);
  }

  equip(credentials: Credentials): void {
    this.credentials = credentials;
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
    key = this.workerKey,
  }: WorkerOptions): Promise<Process> {
    const folder = this.workerFolders.get(id) ?? this.folder();
    this.workerFolders.set(id, folder);
    const args = ['worker', '--centre', ...(centre ?? this.nodes.map(({ url }) => url)), '--group', ...groups, '--id', id];
    args.push('--slots', String(slots), '--data-dir', folder.path, '--open-network', '127.0.0.0/8');
    if (advertiseUrl) args.push('--advertise-url', advertiseUrl);
    if (port) args.push('--port', String(port));
    if (drainMs) args.push('--drain', String(drainMs));
    const { accessKey, secret } = key;
    const { process } = await Process.start(`worker ${id}`, args, {
      EVENKEEL_WORKER_KEY: accessKey,
      EVENKEEL_WORKER_SECRET: secret,
    });
    this.processes.push(process);
    return process;
  }

  get workerKey(): KeyPair {
    return this.equipment.worker;
  }

  get appKey(): KeyPair {
    return this.equipment.app;
  }

  get callbackSecret(): string {
    return this.equipment.callbackSecret;
  }

  get appId(): number {
    return this.equipment.appId as number;
  }

  private get equipment(): Credentials {
    if (!this.credentials) throw new Error('this installation has no keys yet');
    return this.credentials;
  }

  client(url = this.nodes[0]?.url as string, retryForMs = 60_000): EvenkeelClient {
    const client = createClient({ url, accessKey: this.appKey.accessKey, secretKey: this.appKey.secret, retryForMs });
    this.clients.push(client);
    return client;
  }

  /** Connects to the database as a command does, beside running nodes. */
  async look(): Promise<Backends> {
    const { openBackends } = await import('../../src/backends/backends.js');
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
