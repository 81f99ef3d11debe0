import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PLACES = ['/usr/sbin', '/usr/local/sbin', '/usr/libexec', '/usr/local/bin', '/opt/homebrew/bin', '/usr/local/mysql/bin'];

/** Full path of the first of the programs that is installed. */
export function findBinary(...names) {
  for (const name of names)
    for (const place of [...(process.env.PATH ?? '').split(delimiter), ...PLACES]) {
      const path = join(place, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here.
      }
    }
  return undefined;
}

/** True where apt can install the services without asking. */
export const canUseApt = () =>
  process.getuid?.() === 0 && existsSync('/etc/debian_version') && findBinary('apt-get') !== undefined;

const POLICY = '/usr/sbin/policy-rc.d';

/** Installs packages without starting the services they bring; the tests run their own instances. */
export function aptInstall(packages, say) {
  say(`installing ${packages.join(', ')} with apt-get`);
  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  } finally {
    if (ownPolicy) rmSync(POLICY, { force: true });
  }
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}\n${stderr}`.trim()}`);
}
