import { isIP } from 'node:net';

/** How a variable's text becomes a value. `parse` throws a plain Error that states the rule; the text itself is never repeated. */
interface Variable<T> {
  parse: (text: string) => T;
  /** Text of the default; absent when the variable may be unset. */
  fallback?: string;
  /** One line for `.env.example`. */
  description: string;
  /** Shown in `.env.example` where there is no default to show. */
  example?: string;
  /** Never printed, not even in an error. */
  secret?: true;
  /** Read only under NODE_ENV=test. */
  testOnly?: true;
}

const variable = <T>(definition: Variable<T>): Variable<T> => definition;

/** The documented sample: refused as a real key, so that nobody runs on a key that is printed in a public file. */
export const SAMPLE_KEK = Buffer.from('evenkeel-sample-key-not-for-use!').toString('base64');
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting there is. `.env.example` is made from this table and a test compares them. */
export const VARIABLES = {
  PORT: variable({ parse: integer(0, 65535), fallback: '7300', description: 'TCP port of the server; 0 takes a free one.' }),
  HOST: variable({ parse: text, fallback: '127.0.0.1', description: 'Address to listen on; 0.0.0.0 for all.' }),
  DATA_DIR: variable({
    parse: text,
    fallback: './data',
    description: 'Folder of the embedded database and its key. Embedded mode only.',
  }),
  DATABASE_URL: variable({
    parse: url('mysql:'),
    description:
      'MySQL 8+ or MariaDB 10.6+. Set: cluster mode, which also needs REDIS_URL, EK_KEKS and EK_KEK_CURRENT. ?ssl=true for TLS.',
    example: 'mysql://evenkeel:password@127.0.0.1:3306/evenkeel',
    secret: true,
  }),
  REDIS_URL: variable({
    parse: url('redis:', 'rediss:'),
    description: 'Redis of the cluster.',
    example: 'redis://127.0.0.1:6379/0',
    secret: true,
  }),
  NODE_ID: variable({
    parse: nodeId,
    description: 'Name of this node, unique in the cluster. Default: host name, pid and a random part.',
  }),
  DB_POOL_SIZE: variable({
    parse: integer(2, 200),
    fallback: '10',
    description: 'Database connections of this node. Cluster mode only.',
  }),
  EK_KEKS: variable({
    parse: keyEncryptionKeys,
    description:
      'Keys that wrap stored secrets: JSON, id to base64 of 32 random bytes. Embedded mode makes its own in DATA_DIR/kek.json.',
    example: `{"k1":"${SAMPLE_KEK}"}`,
    secret: true,
  }),
  EK_KEK_CURRENT: variable({ parse: text, description: 'Id of the key in EK_KEKS that wraps new secrets.', example: 'k1' }),
  EVENKEEL_ADMIN_PASSWORD: variable({
    parse: atLeast(8),
    description: 'Password of the first admin. Unset: a random one is printed once.',
    secret: true,
  }),
  DEFAULT_TIMEZONE: variable({
    parse: timezone,
    description: 'IANA zone of schedules that name none. Unset: UTC, with a warning from doctor.',
    example: 'Asia/Shanghai',
  }),
  LOG_LEVEL: variable({ parse: oneOf(LOG_LEVELS), fallback: 'info', description: `One of ${LOG_LEVELS.join(', ')}.` }),
  PUBLIC_URL: variable({
    parse: url('http:', 'https:'),
    description: 'Address at which people and partners reach this centre.',
    example: 'https://evenkeel.example.com',
  }),
  OPENAPI_PUBLIC_PREFIX: variable({
    parse: pathPrefix,
    fallback: '',
    description: 'Path a proxy strips before /openapi, as partners sign it: they sign the path they call.',
  }),
  TRUSTED_PROXIES: variable({
    parse: trustedProxies,
    description:
      'Proxies in front that may say who calls (X-Forwarded-For) and that it was https: how many hops (1), or their addresses and CIDR ranges. Unset: none.',
    example: '10.0.0.0/8,192.0.2.7',
  }),
  PUBLIC_PATH: variable({
    parse: consolePath,
    fallback: '/',
    description: 'Path under which people reach the console; a proxy in front strips all of it but the last slash.',
  }),
  SESSION_IDLE_MINUTES: variable({
    parse: integer(1, 43_200),
    fallback: '720',
    description: 'A console session ends after so long without use.',
  }),
  SESSION_MAX_HOURS: variable({
    parse: integer(1, 8_760),
    fallback: '168',
    description: 'A console session ends after so long in any case.',
  }),
  RETENTION_TASKS_DAYS: variable({
    parse: integer(0, 3_650),
    fallback: '30',
    description:
      'A task is removed so many days after its end, with its attempts, logs, callbacks and clientRequestId. 0: never, as for the next three.',
  }),
  RETENTION_LOGS_DAYS: variable({
    parse: integer(0, 3_650),
    fallback: '7',
    description:
      'Lines that attempts log are removed after so many days, and with their task. So are the lists of rejected requests.',
  }),
  RETENTION_AUDIT_DAYS: variable({
    parse: integer(0, 3_650),
    fallback: '365',
    description: 'Entries of the audit log are removed after so many days.',
  }),
  RETENTION_FIGURES_DAYS: variable({
    parse: noneOrAtLeast(8, 3_650),
    fallback: '90',
    description:
      'Figures behind charts are removed after so many days: 0, or 8 and more, which charts look back. By the minute: 8.',
  }),
  CALLBACK_ALLOW_NETWORKS: variable({
    parse: networks,
    fallback: '',
    description:
      'Private networks callbacks may reach, e.g. 10.20.0.0/16,fd12::/48. Unset: public addresses only. Metadata addresses never.',
    example: '10.20.0.0/16',
  }),
  CALLBACK_ALLOW_HTTP: variable({
    parse: oneOf(['true', 'false'] as const),
    fallback: 'false',
    description: 'true: callbacks may go over plain http as well.',
  }),
  CALLBACK_ALLOW_PORTS: variable({
    parse: ports,
    fallback: '',
    description: 'Ports callbacks may use besides 443, e.g. 8443,9000-9100.',
    example: '8443,9000-9100',
  }),
  WEBHOOK_DEV_TARGETS: variable({
    parse: targets,
    fallback: '',
    description: 'For development: host:port targets that may be http and loopback. Refused with NODE_ENV=production.',
    example: 'localhost:9000',
  }),
  EVENKEEL_URL: variable({
    parse: httpAddress,
    description: 'For commands and the sample worker: where the centre is. Unset: as DATA_DIR/quickstart.json says.',
    example: 'http://127.0.0.1:7300',
  }),
  EVENKEEL_ACCESS_KEY: variable({ parse: text, description: 'For commands: the access key of an app (ak_…).' }),
  EVENKEEL_SECRET_KEY: variable({ parse: text, description: 'For commands: its secret.', secret: true }),
  EVENKEEL_WORKER_KEY: variable({ parse: text, description: 'For the sample worker: a worker key (wk_…).' }),
  EVENKEEL_WORKER_SECRET: variable({ parse: text, description: 'For the sample worker: its secret.', secret: true }),
  TEST_CLOCK_FILE: variable({ parse: text, description: 'File that holds milliseconds to add to the clock.', testOnly: true }),
} as const;

export type VariableName = keyof typeof VARIABLES;

function text(value: string): string {
  return value;
}

function integer(min: number, max: number) {
  return (value: string): number => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return Number(value);
  };
}

function noneOrAtLeast(min: number, max: number) {
  const any = integer(0, max);
  return (value: string): number => {
    const stated = any(value);
    if (stated > 0 && stated < min) throw new Error(`must be 0 or a whole number from ${min} to ${max}`);
    return stated;
  };
}

function atLeast(length: number) {
  return (value: string): string => {
    if (value.length < length) throw new Error(`must have at least ${length} characters`);
    return value;
  };
}

function oneOf<T extends string>(values: readonly T[]) {
  return (value: string): T => {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}`);
    return value as T;
  };
}

function url(...protocols: string[]) {
  return (value: string): URL => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol) || !parsed.hostname)
      throw new Error(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return parsed;
  };
}

/** As it was stated: without the slash that a parsed URL ends with. */
function httpAddress(value: string): string {
  url('http:', 'https:')(value);
  return value.replace(/\/+$/, '');
}

const listed = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function networks(value: string): string[] {
  return listed(value).map((network) => {
    const [address = '', prefix = '', ...rest] = network.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128))
      throw new Error('must be a list of networks such as 10.20.0.0/16,fd12::/48');
    return network;
  });
}

/** Whether a port is in the list. */
function ports(value: string): (port: number) => boolean {
  const ranges = listed(value).map((item) => {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(item) ?? [];
    if (from === '' || Number(from) < 1 || Number(from) > Number(to) || Number(to) > 65535)
      throw new Error('must be a list of ports or ranges such as 8443,9000-9100');
    return [Number(from), Number(to)] as const;
  });
  return (port) => ranges.some(([from, to]) => port >= from && port <= to);
}

function targets(value: string): string[] {
  return listed(value).map((target) => {
    if (!/^[a-z0-9.-]{1,253}:\d{1,5}$/.test(target)) throw new Error('must be a list of host:port such as localhost:9000');
    return target;
  });
}

function nodeId(value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value))
    throw new Error('must be 1 to 64 letters, digits, dots, dashes or underscores');
  return value;
}

function pathPrefix(value: string): string {
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(value))
    throw new Error('must be empty or a path such as /api/v2, without a slash at the end');
  return value;
}

function consolePath(value: string): string {
  if (!/^\/([A-Za-z0-9._~-]+\/)*$/.test(value)) throw new Error('must begin and end with a slash, such as / or /sched/');
  return value;
}

/** Never "all": whoever may name any address is bound by none. */
function trustedProxies(value: string): number | string[] {
  if (/^[1-9]$/.test(value)) return Number(value);
  const ranges = value.split(',').map((part) => part.trim());
  for (const range of ranges) {
    const [address = '', bits, more] = range.split('/');
    const widest = isIP(address) === 4 ? 32 : 128;
    const isRange =
      isIP(address) > 0 && more === undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest));
    if (!isRange || Number(bits ?? 1) === 0)
      throw new Error('must be the number of proxies in front (1 to 9), or their addresses and CIDR ranges, separated by commas');
  }
  return ranges;
}

function timezone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value;
  } catch {
    throw new Error('must be an IANA time zone such as Asia/Shanghai');
  }
}

/** Key id to 32 bytes. */
export function keyEncryptionKeys(value: string): ReadonlyMap<string, Buffer> {
  const rule = 'must be a JSON object of key ids (letters, digits, dashes, at most 16) to base64 of 32 bytes';
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw new Error(rule);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(rule);
  const keys = new Map<string, Buffer>();
  for (const [id, encoded] of Object.entries(parsed)) {
    const bytes = typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
    if (!/^[A-Za-z0-9-]{1,16}$/.test(id) || bytes.length !== 32) throw new Error(rule);
    if (encoded === SAMPLE_KEK) throw new Error('must not be the documented sample: make one with `openssl rand -base64 32`');
    keys.set(id, bytes);
  }
  if (keys.size === 0) throw new Error(rule);
  return keys;
}
