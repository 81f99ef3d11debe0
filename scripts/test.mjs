// Builds, provides the services the tests need, runs Jest with the arguments given, stops what it started, and ends with one line
// `N passed, N failed`. Exit code 0 only if nothing failed.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeTestFolder } from './test-folder.mjs';
import { provideServices } from './test-services.mjs';

const root = join(import.meta.dirname, '..');
const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin', 'jest.js');
const say = (message) => console.error(`test: ${message}`);
let interrupted = false;

process.exitCode = await main();

async function main() {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) return report({ passed: 0, failed: 1 });
  const folder = makeTestFolder();
  let services;
  let result = { passed: 0, failed: 1 };
  // Ctrl-C also reaches Jest; the services are stopped after it has ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (interrupted = true));
  try {
    services = await provideServices(folder.path, say);
    if (!interrupted) result = await runJest(folder, services.env);
  } catch (error) {
    say(error.message);
  } finally {
    await services?.stop();
    folder.remove();
  }
  return interrupted ? 130 : report(result);
}

async function runJest(folder, env) {
  const outputFile = join(folder.path, 'result.json');
  const args = [jest, '--forceExit', '--json', `--outputFile=${outputFile}`, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...folder.env, ...env, NODE_ENV: 'test' },
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  const forward = () => child.kill('SIGTERM');
  process.once('SIGTERM', forward);
  const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode ?? 1)));
  return { ...count(outputFile), code };
}

/** A suite that could not run counts as one failure. */
function count(outputFile) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(outputFile, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { passed: 0, failed: 1 };
  }
}

/** Jest may fail without a failed test (no test matched, a leaked handle): that is a failure too. */
function report({ passed, failed, code = 0 }) {
  const failures = code !== 0 && failed === 0 ? 1 : failed;
  console.log(`${passed} passed, ${failures} failed`);
  return failures === 0 ? 0 : 1;
}
