import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { startDatabase, startRedis } from './private-services.mjs';
import { aptInstall, canUseApt, findBinary } from './service-binaries.mjs';

const COMPOSE_FILE = join(import.meta.dirname, '..', 'docker', 'test-services.yaml');
const DATABASE = {
  name: 'database',
  variable: 'TEST_DATABASE_URL',
  binaries: ['mariadbd', 'mysqld'],
  apt: 'mariadb-server',
  start: startDatabase,
};
const REDIS = { name: 'redis', variable: 'TEST_REDIS_URL', binaries: ['redis-server'], apt: 'redis-server', start: startRedis };

/** Programs some tests drive; without them those tests are skipped and say so. */
const OPTIONAL = [{ binaries: ['nginx'], apt: 'nginx' }];

/**
 * The services the tests need, each from the first of: its variable, an installed program, apt, docker compose. `env` is what the
 * tests find them by; `stop` stops what was started here and nothing else. They write into the folder.
 */
export async function provideServices(folder, say) {
  chmodSync(folder, 0o755); // The database runs as a user of its own.
  const started = [];
  const env = {};
  const stop = () => Promise.allSettled(started.map((service) => service.stop()));
  try {
    const wanted = [DATABASE, REDIS].filter((service) => !process.env[service.variable]);
    const missing = wanted.filter((service) => !findBinary(...service.binaries));
    if (missing.length > 0 && canUseApt())
      aptInstall(
        missing.map((service) => service.apt),
        say,
      );
    installOptional(say);
    for (const service of wanted) {
      const binary = findBinary(...service.binaries);
      const running = binary ? await service.start(binary, join(folder, service.name)) : await startContainer(service, say);
      started.push(running);
      env[service.variable] = running.url;
      say(`${service.name}: ${binary ?? 'docker compose'}`);
    }
    return { env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function installOptional(say) {
  const missing = OPTIONAL.filter(({ binaries }) => !findBinary(...binaries));
  if (missing.length === 0 || !canUseApt()) return;
  try {
    aptInstall(
      missing.map(({ apt }) => apt),
      say,
    );
  } catch (error) {
    say(`going on without it: ${error.message}`);
  }
}

async function startContainer(service, say) {
  const project = `evenkeel-test-${process.pid}-${service.name}`;
  if (spawnSync('docker', ['compose', 'version']).status !== 0) throw new Error(whatToInstall(service));
  const compose = (...args) => spawnSync('docker', ['compose', '-p', project, '-f', COMPOSE_FILE, ...args], { encoding: 'utf8' });
  const stop = async () => void compose('down', '--volumes');
  say(`starting ${service.name} with docker compose`);
  const up = compose('up', '--detach', '--wait', service.name);
  const port = compose('port', service.name, service === DATABASE ? '3306' : '6379')
    .stdout.trim()
    .split(':')
    .at(-1);
  if (up.status !== 0 || !port) {
    await stop();
    throw new Error(`docker compose failed: ${up.stderr}\n${whatToInstall(service)}`);
  }
  return { url: service === DATABASE ? `mysql://root:evenkeel@127.0.0.1:${port}` : `redis://127.0.0.1:${port}`, stop };
}

const whatToInstall = (service) =>
  `The tests need a ${service.name}. Install ${service.binaries.join(' or ')} (Debian, Ubuntu: apt-get install ${service.apt}; ` +
  `macOS: brew install ${service === DATABASE ? 'mariadb' : 'redis'}), or docker with compose, or set ${service.variable}.`;
