import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeCentre, KEY, order, SECRET, until } from './fake-centre.js';

const SDK = join(__dirname, '..');
const MODULES = join(SDK, '..', 'node_modules');

const USE = `
if (typeof createWorker !== 'function' || typeof createClient !== 'function' || typeof runHandler !== 'function') throw new Error('missing');
if (LIMITS.batchItems !== 500) throw new Error('contract');
runHandler('double', (n) => n * 2, 21).then(({ result }) => process.stdout.write(String(result)));
`;

/** The package as it would be published: packed, installed from the tarball without a network, used by programs outside this repository. */
describe('the packed package', () => {
  let folder: string;
  const run = (command: string, args: string[]) => {
    const { PATH, HOME } = process.env;
    return execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const node = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
    return run(process.execPath, [file]);
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-package-'));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: SDK, stdio: ['ignore', 'ignore', 'inherit'] });
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
    writeFileSync(join(folder, 'package.json'), '{"name":"consumer","version":"1.0.0","private":true}');
    run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', `./${tarball}`]);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('brings nothing along, the server least of all', () => {
    const listed = JSON.parse(run('npm', ['ls', '--all', '--json'])) as {
      dependencies: Record<string, { dependencies?: object }>;
    };
    expect(Object.keys(listed.dependencies)).toEqual(['@evenkeel/sdk']);
    // Optional peers that are not there are listed without a version.
    const below = Object.values(listed.dependencies['@evenkeel/sdk']?.dependencies ?? {});
    expect(below.filter(({ version }) => version !== undefined)).toEqual([]);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@evenkeel']);
    const loaded = node(
      'loaded.cjs',
      `for (const entry of ['worker', 'client', 'testing', 'contract']) require('@evenkeel/sdk/' + entry);
       process.stdout.write(JSON.stringify(Object.keys(require.cache)));`,
    );
    for (const file of JSON.parse(loaded) as string[]) expect(file).toContain(folder);
  });

  it('is imported by an ES module', () => {
    const imports = `import { createWorker } from '@evenkeel/sdk/worker';
      import { createClient } from '@evenkeel/sdk/client';
      import { runHandler } from '@evenkeel/sdk/testing';
      import { LIMITS } from '@evenkeel/sdk/contract';`;
    expect(node('use.mjs', imports + USE)).toBe('42');
  });

  it('is required by CommonJS', () => {
    const requires = `const { createWorker } = require('@evenkeel/sdk/worker');
      const { createClient } = require('@evenkeel/sdk/client');
      const { runHandler } = require('@evenkeel/sdk/testing');
      const { LIMITS } = require('@evenkeel/sdk/contract');`;
    expect(node('use.cjs', requires + USE)).toBe('42');
  });

  it('is one module for both: an error thrown in one is recognised in the other', () => {
    const text = `import * as face from '@evenkeel/sdk/worker';
      import { createRequire } from 'node:module';
      const common = createRequire(import.meta.url)('@evenkeel/sdk/worker');
      process.stdout.write(String(new common.NonRetryableError('x') instanceof face.NonRetryableError));
      process.stdout.write(String(Object.keys(face).length === Object.keys(common).length));`;
    expect(node('both.mjs', text)).toBe('truetrue');
  });

  it('serves Nest from the peers of the application', () => {
    const text = `import { EvenkeelWorkerModule, OnTask } from '@evenkeel/sdk/nestjs';
      process.stdout.write(typeof EvenkeelWorkerModule.forRoot + typeof OnTask);`;
    writeFileSync(join(folder, 'nest.mjs'), text);
    expect(() => run(process.execPath, ['nest.mjs'])).toThrow(/@nestjs\/common/);
  });

  it.each(['mts', 'cts'])(
    'has types that flow from a task to handler, client and result, seen from a .%s file',
    (extension) => {
      copyFileSync(join(SDK, 'test', 'package', 'types.ts'), join(folder, `types.${extension}`));
      const args = [
        join(MODULES, 'typescript', 'bin', 'tsc'),
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
      ];
      args.push(
        '--typeRoots',
        join(MODULES, '@types'),
        '--types',
        'node',
        '--skipLibCheck',
        String(extension === 'cts'),
        `types.${extension}`,
      );
      try {
        run(process.execPath, args);
      } catch (error) {
        throw new Error((error as { stdout: string }).stdout);
      }
    },
    60_000,
  );

  it('runs the worker of its README exactly as shown, in fifteen lines', async () => {
    const readme = readFileSync(join(folder, 'node_modules', '@evenkeel', 'sdk', 'README.md'), 'utf8');
    const shown = /```js\n([\s\S]*?)```/.exec(readme)?.[1] as string;
    expect(shown.trim().split('\n').filter(Boolean).length).toBeLessThanOrEqual(15);
    writeFileSync(join(folder, 'worker.mjs'), shown);
    const centre = await new FakeCentre().listen();
    const env = { PATH: process.env.PATH, EVENKEEL_URL: centre.url, EVENKEEL_WORKER_KEY: KEY, EVENKEEL_WORKER_SECRET: SECRET };
    const child = spawn(process.execPath, ['worker.mjs'], { cwd: folder, env, stdio: 'ignore' });
    try {
      await until('registered', () => centre.registrations.length === 1);
      const each = order({ handler: 'greet', params: { name: 'Ada' } });
      await centre.run([each]);
      const result = await until('result', () => centre.resultOf(each.taskId));
      expect(result).toMatchObject({ outcome: 'succeeded', result: { text: 'Hello, Ada!' } });
      expect(centre.lines).toMatchObject([{ message: 'greeting', fields: { name: 'Ada' } }]);
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
      await centre.close();
    }
  });
});
