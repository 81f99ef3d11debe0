import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClientSettings } from '../../src/platform/client-settings.js';
import { ConfigError, loadConfig } from '../../src/platform/config.js';
import { SAMPLE_KEK, VARIABLES } from '../../src/platform/config-variables.js';
import { envExample } from '../../src/platform/env-example.js';

const root = join(__dirname, '../..');
const kek = Buffer.alloc(32, 7).toString('base64');
const CLUSTER = {
  DATABASE_URL: 'mysql://user:s3cret-password@db.example:3307/evenkeel',
  REDIS_URL: 'redis://redis.example',
  EK_KEKS: JSON.stringify({ k1: kek }),
  EK_KEK_CURRENT: 'k1',
};

describe('the configuration', () => {
  it('needs nothing to run embedded', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      mode: 'embedded',
      port: 7300,
      host: '127.0.0.1',
      dataDir: './data',
      dbPoolSize: 10,
      logLevel: 'info',
    });
    expect(config).toMatchObject({ defaultTimezone: 'UTC', defaultTimezoneStated: false, openapiPublicPrefix: '' });
    expect(config.nodeId).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]*-\d+-[0-9a-f]{8}$/);
    expect(loadConfig({}).nodeId).not.toBe(config.nodeId);
  });

  it('is a cluster as soon as a database is named', () => {
    const config = loadConfig(CLUSTER);
    expect(config.mode).toBe('cluster');
    expect(config.databaseUrl?.port).toBe('3307');
    expect(config.keyEncryption.current).toBe('k1');
    expect(config.keyEncryption.keys.get('k1')).toHaveLength(32);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 7300, mode: 'embedded' });
  });

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['PORT', { PORT: '70000' }, /whole number from 0 to 65535/],
    ['PORT', { PORT: '73e2' }, /whole number/],
    ['DB_POOL_SIZE', { DB_POOL_SIZE: '1' }, /from 2 to 200/],
    ['NODE_ID', { NODE_ID: 'a b' }, /letters, digits/],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }, /one of fatal/],
    ['DEFAULT_TIMEZONE', { DEFAULT_TIMEZONE: 'Mars/Olympus' }, /IANA/],
    ['EVENKEEL_ADMIN_PASSWORD', { EVENKEEL_ADMIN_PASSWORD: 'short' }, /at least 8/],
    ['OPENAPI_PUBLIC_PREFIX', { OPENAPI_PUBLIC_PREFIX: 'api/' }, /path such as/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'true' }, /number of proxies/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '0' }, /number of proxies/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/33' }, /number of proxies/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '0.0.0.0/0' }, /number of proxies/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.1,proxy.example' }, /number of proxies/],
    ['PUBLIC_URL', { PUBLIC_URL: 'evenkeel.example' }, /https:/],
    ['DATABASE_URL', { ...CLUSTER, DATABASE_URL: 'postgres://db/x' }, /mysql:/],
    ['DATABASE_URL', { ...CLUSTER, DATABASE_URL: 'mysql://db' }, /name a database/],
    ['DATABASE_URL', { REDIS_URL: CLUSTER.REDIS_URL }, /required with REDIS_URL/],
    ['REDIS_URL', { ...CLUSTER, REDIS_URL: '' }, /required with DATABASE_URL/],
    ['EK_KEKS', { ...CLUSTER, EK_KEKS: '' }, /required in cluster mode/],
    ['EK_KEKS', { ...CLUSTER, EK_KEKS: '{"k1":"dG9vIHNob3J0"}' }, /32 bytes/],
    ['EK_KEKS', { ...CLUSTER, EK_KEKS: '[]' }, /JSON object/],
    ['EK_KEKS', { ...CLUSTER, EK_KEKS: JSON.stringify({ k1: SAMPLE_KEK }) }, /documented sample/],
    ['EK_KEK_CURRENT', { ...CLUSTER, EK_KEK_CURRENT: '' }, /required with EK_KEKS/],
    ['EK_KEK_CURRENT', { ...CLUSTER, EK_KEK_CURRENT: 'k2' }, /one of the ids/],
  ];
  it.each(wrong)('refuses a wrong %s (case %#) and names it and the rule', (name, env, rule) => {
    expect(() => loadConfig(env)).toThrow(ConfigError);
    expect(() => loadConfig(env)).toThrow(rule);
    expect(() => loadConfig(env)).toThrow(new RegExp(`^${name} `));
  });

  it('takes a number of proxies, or their addresses', () => {
    expect(loadConfig({ TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2);
    expect(loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(loadConfig({}).trustedProxies).toBeUndefined();
  });

  it('is checked for commands too', () => {
    expect(() => loadClientSettings({ EVENKEEL_URL: 'evenkeel' })).toThrow(/^EVENKEEL_URL must be a URL/);
    expect(loadClientSettings({ EVENKEEL_URL: 'http://centre.example:7300/', EVENKEEL_ACCESS_KEY: '' })).toMatchObject({
      dataDir: './data',
      url: 'http://centre.example:7300',
      accessKey: undefined,
    });
  });

  it('never repeats a secret in its refusal', () => {
    for (const env of [{ EVENKEEL_ADMIN_PASSWORD: 'hunter2' }, { ...CLUSTER, DATABASE_URL: 'postgres://u:hunter2@db/x' }])
      expect(() => loadConfig(env)).not.toThrow(/hunter2/);
  });

  it('opens callbacks only as far as is stated, and development targets never in production', () => {
    const strict = loadConfig({}).callbacks;
    expect([strict.allowNetworks, strict.allowHttp, strict.allowsPort(8443), strict.devTargets]).toEqual([[], false, false, []]);
    const opened = loadConfig({
      CALLBACK_ALLOW_NETWORKS: '10.0.0.0/8, fd12::/48',
      CALLBACK_ALLOW_PORTS: '8443,9000-9100',
    }).callbacks;
    expect(opened.allowNetworks).toEqual(['10.0.0.0/8', 'fd12::/48']);
    expect([8443, 9050, 9101].map(opened.allowsPort)).toEqual([true, true, false]);
    for (const [name, value] of Object.entries({
      CALLBACK_ALLOW_NETWORKS: '10.0.0.0',
      CALLBACK_ALLOW_PORTS: '9100-9000',
      CALLBACK_ALLOW_HTTP: 'yes',
      WEBHOOK_DEV_TARGETS: 'localhost',
    }))
      expect(() => loadConfig({ [name]: value })).toThrow(name);
    expect(() => loadConfig({ NODE_ENV: 'production', WEBHOOK_DEV_TARGETS: 'localhost:9000' })).toThrow(/WEBHOOK_DEV_TARGETS/);
  });

  it('keeps what has ended for days, or for ever, and figures no shorter than charts look back', () => {
    const day = 86_400_000;
    expect(loadConfig({}).retention).toEqual({ tasksMs: 30 * day, logsMs: 7 * day, auditMs: 365 * day, figuresMs: 90 * day });
    expect(loadConfig({ RETENTION_TASKS_DAYS: '0', RETENTION_FIGURES_DAYS: '0' }).retention).toMatchObject({
      tasksMs: 0,
      figuresMs: 0,
    });
    for (const [name, value] of [
      ['RETENTION_TASKS_DAYS', '-1'],
      ['RETENTION_LOGS_DAYS', 'week'],
      ['RETENTION_AUDIT_DAYS', '4000'],
      ['RETENTION_FIGURES_DAYS', '7'],
    ] as const)
      expect(() => loadConfig({ [name]: value })).toThrow(name);
  });

  it('moves the clock by a file under test only', () => {
    expect(loadConfig({ TEST_CLOCK_FILE: '/x' }).testClockFile).toBeUndefined();
    expect(loadConfig({ TEST_CLOCK_FILE: '/x', NODE_ENV: 'production' }).testClockFile).toBeUndefined();
    expect(loadConfig({ TEST_CLOCK_FILE: '/x', NODE_ENV: 'test' }).testClockFile).toBe('/x');
  });

  it('is documented in .env.example, variable by variable', () => {
    expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(envExample());
    for (const [name, variable] of Object.entries(VARIABLES))
      if (!('testOnly' in variable)) expect(envExample()).toContain(`#${name}=`);
  });

  it('is the only reader of the environment in src', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const readers = files.filter((file) => /process\.env/.test(readFileSync(join(root, 'src', file), 'utf8')));
    expect(readers).toEqual(['platform/config.ts']);
  });
});

describe('the key of an embedded installation', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-kek-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made at first use, readable by its owner only, and stays the same', () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    expect(readdirSync(dataDir)).toEqual([]);
    const { current, keys } = config.keyEncryption;
    expect(keys.get(current)).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual(['kek.json']);
    expect(statSync(join(dataDir, 'kek.json')).mode & 0o777).toBe(0o600);
    expect(loadConfig({ DATA_DIR: dataDir }).keyEncryption.keys.get(current)).toEqual(keys.get(current));
  });

  it('is never replaced when the file is damaged', () => {
    writeFileSync(join(dataDir, 'kek.json'), '{"current":"k1"');
    expect(() => loadConfig({ DATA_DIR: dataDir }).keyEncryption).toThrow(/damaged/);
    expect(readFileSync(join(dataDir, 'kek.json'), 'utf8')).toBe('{"current":"k1"');
  });
});
