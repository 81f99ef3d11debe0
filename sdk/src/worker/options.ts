import { availableParallelism, networkInterfaces } from 'node:os';
import { EK1_PATTERNS, LIMITS, LOG_LEVELS, type LogLevel } from '../contract/index.js';
import { DEFAULT_POOL } from './capacity.js';
import { DEFAULT_DATA_DIR } from './home.js';
import { jsonLogger, type Logger } from './logger.js';

export interface WorkerOptions {
  /** URL of the centre, or of several of its nodes; the first that answers is kept to. */
  centre: string | string[];
  /** Worker key (`wk_…`) and its secret. */
  key: string;
  secret: string;
  /** Unique among the live workers; at most 64 characters. Default: host name and a random part, kept in `dataDir`. */
  workerId?: string;
  groups: string[];
  /** Where to listen for orders. Default: loopback if every centre URL is loopback, else all addresses; any free port. */
  host?: string;
  port?: number;
  /** Where the centre reaches this worker, best first. Default: built from host and port. */
  advertiseUrl?: string | string[];
  /** Attempts at once. Default 2 × cores. Per group: a map; the worker runs their sum, and of each group at most its own. */
  slots?: number | Record<string, number>;
  /** Orders accepted beyond the slots. Default 2 × slots. */
  queue?: number;
  /**
   * Slots apart from the common ones, by name: handlers registered with `{ pool: name }` run in them and nowhere else, so that long
   * work never takes the place of short. `queue`: default 2 × concurrency.
   */
  pools?: Record<string, { concurrency: number; queue?: number }>;
  /** What `ctx.log` writes is sent to the centre from this level on; false: nothing is. Default `info`. */
  shipLogs?: LogLevel | false;
  weight?: number;
  tags?: string[];
  zone?: string;
  /** For the journal of accepted orders and unacknowledged results. Default `.evenkeel` in the working directory. */
  dataDir?: string;
  /** Default: JSON lines to stderr from level info. */
  logger?: Logger;
  /** How long `stop()` lets running attempts finish before it aborts them. Default 30 000. */
  drainMs?: number;
}

export interface WorkerSettings {
  urls: string[];
  key: string;
  secret: string;
  workerId: string | undefined;
  groups: string[];
  host: string;
  port: number;
  advertiseUrl: string[];
  slots: number | Record<string, number>;
  /** By name; `default` is among them. */
  pools: Map<string, { slots: number; queue: number }>;
  shipLogs: LogLevel | false;
  weight?: number;
  tags?: string[];
  zone?: string;
  dataDir: string;
  logger: Logger;
  drainMs: number;
}

/** A beat names every attempt and must fit into one request. */
const MOST_ATTEMPTS = 8000;

/** Checked options with their defaults. Throws TypeError or RangeError naming the option. */
export function settingsFrom(options: WorkerOptions): WorkerSettings {
  const urls = [options.centre].flat();
  if (urls.length === 0) throw new TypeError('centre: at least one URL is needed');
  for (const url of urls) checkUrl('centre', url);
  const advertiseUrl = options.advertiseUrl === undefined ? [] : [options.advertiseUrl].flat();
  for (const url of advertiseUrl) checkUrl('advertiseUrl', url);
  if (!EK1_PATTERNS.workerKey.test(options.key)) throw new TypeError('key: not a worker key (wk_…)');
  if (typeof options.secret !== 'string' || options.secret === '') throw new TypeError('secret: is missing');
  const { workerId, groups } = options;
  if (workerId !== undefined && !new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${LIMITS.workerIdLength - 1}}$`).test(workerId)) {
    throw new TypeError(`workerId: 1 to ${LIMITS.workerIdLength} letters, digits, ".", "_", "-", not starting with a mark`);
  }
  if (!Array.isArray(groups) || groups.length === 0) throw new TypeError('groups: at least one group is needed');
  for (const group of groups) {
    if (typeof group !== 'string' || group === '' || group.length > LIMITS.groupKeyLength)
      throw new TypeError('groups: not a group key');
  }
  const slots = options.slots ?? 2 * availableParallelism();
  const own = typeof slots === 'number' ? slots : Object.values(slots).reduce((sum, each) => sum + each, 0);
  whole('slots', own, 1);
  const queue = options.queue ?? Math.min(2 * own, Math.max(0, MOST_ATTEMPTS - own));
  whole('queue', queue, 0);
  const pools = poolsFrom(options, own, queue);
  const attempts = [...pools.values()].reduce((sum, pool) => sum + pool.slots + pool.queue, 0);
  if (attempts > MOST_ATTEMPTS) throw new RangeError(`slots + queue, of all pools: at most ${MOST_ATTEMPTS}`);
  const { shipLogs = 'info' } = options;
  if (shipLogs !== false && !LOG_LEVELS.includes(shipLogs))
    throw new TypeError(`shipLogs: one of ${LOG_LEVELS.join(', ')}, or false`);
  const { drainMs = 30_000, port = 0 } = options;
  whole('drainMs', drainMs, 0);
  whole('port', port, 0);
  const { key, secret, weight, tags, zone } = options;
  const host = options.host ?? (urls.every((url) => isLoopback(new URL(url).hostname)) ? '127.0.0.1' : '0.0.0.0');
  const { dataDir = DEFAULT_DATA_DIR, logger = jsonLogger() } = options;
  const common = { urls, key, secret, workerId, groups, host, port, advertiseUrl, weight, tags, zone };
  return { ...common, slots: registered(slots, pools), pools, shipLogs, dataDir, logger, drainMs };
}

function poolsFrom({ pools = {} }: WorkerOptions, slots: number, queue: number): WorkerSettings['pools'] {
  const all: WorkerSettings['pools'] = new Map([[DEFAULT_POOL, { slots, queue }]]);
  for (const [name, pool] of Object.entries(pools)) {
    if (name === DEFAULT_POOL) throw new TypeError(`pools: "${DEFAULT_POOL}" is what slots and queue describe`);
    const { concurrency, queue: places = 2 * concurrency } = pool;
    whole(`pools.${name}.concurrency`, concurrency, 1);
    whole(`pools.${name}.queue`, places, 0);
    all.set(name, { slots: concurrency, queue: places });
  }
  return all;
}

/** What the centre is told: the slots of all pools together, or those of each group. */
function registered(slots: number | Record<string, number>, pools: WorkerSettings['pools']): number | Record<string, number> {
  return typeof slots === 'number' ? [...pools.values()].reduce((sum, pool) => sum + pool.slots, 0) : slots;
}

/** Where the centre reaches a server on this host and port. */
export function reachableUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const address = everywhere ? (outsideAddress() ?? '127.0.0.1') : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function outsideAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function checkUrl(option: string, url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`${option}: not an http(s) URL: ${url}`);
}

function whole(option: string, value: number, min: number): void {
  if (!Number.isSafeInteger(value) || value < min) throw new RangeError(`${option}: must be an integer from ${min}`);
}
