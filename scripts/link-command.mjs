/**
 * Puts `evenkeel` into node_modules/.bin, so that `npx evenkeel` works inside this repository: npm links the commands of
 * dependencies, never the repository's own. The link is a file that loads the compiled command, so it needs no executable bit on
 * the compiler's output and says what to do before the first build. Runs after `npm ci` and after every build; harmless again.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MODULES = join(ROOT, 'node_modules');

const COMMAND = `#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const compiled = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');
if (existsSync(compiled)) require(compiled);
else {
  process.stderr.write('evenkeel: not built yet\\n  run \`npm run build\` (or \`npm run quickstart\`, which does it all)\\n');
  process.exitCode = 2;
}
`;

// Installed as a dependency of something else there is no node_modules here, and npm links the command itself.
if (existsSync(NODE_MODULES)) {
  const path = join(NODE_MODULES, '.bin', 'evenkeel');
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, COMMAND);
  chmodSync(path, 0o755);
  if (process.platform === 'win32') writeFileSync(`${path}.cmd`, '@node "%~dp0\\evenkeel" %*\r\n');
}
