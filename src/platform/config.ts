import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type LogLevel, VARIABLES, type VariableName } from './config-variables.js';
import { embeddedKeyEncryption, type KeyEncryption } from './embedded-kek.js';

/** A setting breaks its rule; the start stops. Names the variable, never its value. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    readonly rule: string,
  ) {
    super(`${variable} ${rule}`);
    this.name = 'ConfigError';
  }
}

/** The settings of this process, checked. Made by `loadConfig` only. */
export class Config {
  readonly mode: 'embedded' | 'cluster';
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** Set in cluster mode. */
  readonly databaseUrl: URL | undefined;
  /** Set in cluster mode. */
  readonly redisUrl: URL | undefined;
  readonly nodeId: string;
  readonly hostName: string;
  readonly dbPoolSize: number;
  readonly adminPassword: string | undefined;
  readonly defaultTimezone: string;
  /** False: `defaultTimezone` is only our guess. */
  readonly defaultTimezoneStated: boolean;
  readonly logLevel: LogLevel;
  readonly publicUrl: URL | undefined;
  readonly openapiPublicPrefix: string;
  /** Begins and ends with a slash. */
  readonly publicPath: string;
  /** How many proxies stand in front, or their addresses; undefined for none. */
  readonly trustedProxies: number | string[] | undefined;
  readonly sessionIdleMs: number;
  readonly sessionMaxMs: number;
  /** How long what has ended is kept. */
  readonly retention: RetentionSettings;
  /** Where callbacks may go besides public https on port 443. */
  readonly callbacks: CallbackSettings;
  /** Under NODE_ENV=test only. */
  readonly testClockFile: string | undefined;
  private readonly statedKeys: KeyEncryption | undefined;
  private madeKeys: KeyEncryption | undefined;

  constructor(env?: Environment) {
    const read = variableReader(env);
    this.databaseUrl = read('DATABASE_URL');
    this.redisUrl = read('REDIS_URL');
    this.mode = this.databaseUrl ? 'cluster' : 'embedded';
    if (this.databaseUrl && this.databaseUrl.pathname.length < 2) throw new ConfigError('DATABASE_URL', 'must name a database');
    if (this.databaseUrl && !this.redisUrl) throw new ConfigError('REDIS_URL', 'is required with DATABASE_URL');
    if (!this.databaseUrl && this.redisUrl) throw new ConfigError('DATABASE_URL', 'is required with REDIS_URL');
    this.port = read('PORT') as number;
    this.host = read('HOST') as string;
    this.dataDir = read('DATA_DIR') as string;
    this.hostName = hostname().slice(0, 255);
    this.nodeId = read('NODE_ID') ?? madeNodeId(this.hostName);
    this.dbPoolSize = read('DB_POOL_SIZE') as number;
    this.adminPassword = read('EVENKEEL_ADMIN_PASSWORD');
    const zone = read('DEFAULT_TIMEZONE');
    this.defaultTimezone = zone ?? 'UTC';
    this.defaultTimezoneStated = zone !== undefined;
    this.logLevel = read('LOG_LEVEL') as LogLevel;
    this.publicUrl = read('PUBLIC_URL');
    this.openapiPublicPrefix = read('OPENAPI_PUBLIC_PREFIX') as string;
    this.publicPath = read('PUBLIC_PATH') as string;
    this.trustedProxies = read('TRUSTED_PROXIES');
    this.sessionIdleMs = (read('SESSION_IDLE_MINUTES') as number) * 60_000;
    this.sessionMaxMs = (read('SESSION_MAX_HOURS') as number) * 3_600_000;
    this.retention = {
      tasksMs: (read('RETENTION_TASKS_DAYS') as number) * DAY_MS,
      logsMs: (read('RETENTION_LOGS_DAYS') as number) * DAY_MS,
      auditMs: (read('RETENTION_AUDIT_DAYS') as number) * DAY_MS,
      figuresMs: (read('RETENTION_FIGURES_DAYS') as number) * DAY_MS,
    };
    this.testClockFile = read('TEST_CLOCK_FILE');
    this.callbacks = callbackSettings(read, (env ?? process.env).NODE_ENV);
    this.statedKeys = statedKeyEncryption(read('EK_KEKS'), read('EK_KEK_CURRENT'), this.mode);
  }

  /** In embedded mode without EK_KEKS the key is made at first use, in DATA_DIR/kek.json. */
  get keyEncryption(): KeyEncryption {
    this.madeKeys ??= this.statedKeys ?? embeddedKeyEncryption(this.dataDir);
    return this.madeKeys;
  }
}

const DAY_MS = 86_400_000;
/** Milliseconds; 0: for ever. */
export interface RetentionSettings {
  tasksMs: number;
  logsMs: number;
  auditMs: number;
  figuresMs: number;
}

export interface CallbackSettings {
  /** CIDRs. */
  allowNetworks: string[];
  allowHttp: boolean;
  allowsPort: (port: number) => boolean;
  /** `host:port`. */
  devTargets: string[];
}

function callbackSettings(read: ReturnType<typeof variableReader>, nodeEnv: string | undefined): CallbackSettings {
  const devTargets = read('WEBHOOK_DEV_TARGETS') as string[];
  if (devTargets.length > 0 && nodeEnv === 'production')
    throw new ConfigError('WEBHOOK_DEV_TARGETS', 'is for development: unset it with NODE_ENV=production');
  return {
    allowNetworks: read('CALLBACK_ALLOW_NETWORKS') as string[],
    allowHttp: read('CALLBACK_ALLOW_HTTP') === 'true',
    allowsPort: read('CALLBACK_ALLOW_PORTS') as (port: number) => boolean,
    devTargets,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks every variable of the server; throws the first ConfigError. */
export function loadConfig(env?: Environment): Config {
  return new Config(env);
}

/** Of a command that always runs embedded: a cluster's settings are refused instead of silently ignored. Throws ConfigError. */
export function loadEmbeddedConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const) {
    if (env[name])
      throw new ConfigError(
        name,
        'is set, but this command always runs embedded: unset it, or start a cluster node with `npx evenkeel start`',
      );
  }
  return loadConfig(env);
}

type Value<N extends VariableName> = ReturnType<(typeof VARIABLES)[N]['parse']>;

/** Reads single variables, checked; an empty one counts as unset. The only reader of the process's environment. */
export function variableReader(env: Environment = process.env) {
  return <N extends VariableName>(name: N): Value<N> | undefined => {
    const { parse, ...variable } = VARIABLES[name] as { parse: (text: string) => unknown; fallback?: string; testOnly?: true };
    if (variable.testOnly && env.NODE_ENV !== 'test') return undefined;
    const stated = env[name] || variable.fallback;
    if (stated === undefined) return undefined;
    try {
      return parse(stated) as Value<N>;
    } catch (error) {
      throw new ConfigError(name, (error as Error).message);
    }
  };
}

function statedKeyEncryption(
  keys: ReadonlyMap<string, Buffer> | undefined,
  current: string | undefined,
  mode: Config['mode'],
): KeyEncryption | undefined {
  if (mode === 'cluster' && !keys)
    throw new ConfigError('EK_KEKS', 'is required in cluster mode: all nodes must share the same keys');
  if (!keys && !current) return undefined;
  if (!keys) throw new ConfigError('EK_KEKS', 'is required with EK_KEK_CURRENT');
  if (!current) throw new ConfigError('EK_KEK_CURRENT', 'is required with EK_KEKS');
  if (!keys.has(current)) throw new ConfigError('EK_KEK_CURRENT', 'must be one of the ids in EK_KEKS');
  return { current, keys };
}

/** At most 64 characters whatever the host is called. */
function madeNodeId(hostName: string): string {
  const host = hostName.replace(/[^A-Za-z0-9.-]/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'node';
  return `${host.slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** What this process was started with, to be handed on to a child; settings are read by `loadConfig`. */
export const processEnvironment = (): NodeJS.ProcessEnv => process.env;
