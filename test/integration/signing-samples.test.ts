import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Installation } from '../support/installation.js';
import vectors from '../vectors/sign_vectors.json';

/** Where the samples of Java and Go are compiled to, once. */
const COMPILED = mkdtempSync(join(tmpdir(), 'evenkeel-samples-'));
afterAll(() => rmSync(COMPILED, { recursive: true, force: true }));

const SAMPLES = join(__dirname, '..', '..', 'examples', 'signing');

/** How each language's sample is run, and whether the machine has what it needs. */
const LANGUAGES: Record<string, { tool: string; version: string[]; run: string[]; file?: string; compile?: string[] }> = {
  curl: { tool: 'openssl', version: ['version'], run: ['sh', 'ek1.sh'] },
  Node: { tool: process.execPath, version: ['--version'], run: [process.execPath, 'ek1.mjs'] },
  Python: { tool: 'python3', version: ['--version'], run: ['python3', 'ek1.py'] },
  Java: {
    tool: 'javac',
    version: ['-version'],
    compile: ['-d', COMPILED, 'Ek1.java'],
    run: ['java', '-Xshare:auto', '-cp', COMPILED, 'Ek1'],
    file: 'Ek1.java',
  },
  Go: {
    tool: 'go',
    version: ['version'],
    compile: ['build', '-o', join(COMPILED, 'ek1'), 'ek1.go'],
    run: [join(COMPILED, 'ek1')],
    file: 'ek1.go',
  },
};
/** A shell has no percent-decoding: that sample says so and takes canonical queries only. */
const canonicalOnly = (vector: (typeof vectors.positive)[number]) =>
  (vector.target.split('?')[1] ?? '') === vector.canonicalQuery &&
  !vector.bodyUtf8.includes('\r') &&
  !vector.bodyUtf8.endsWith('\n');

function isThere({ tool, version }: { tool: string; version: string[] }): boolean {
  try {
    execFileSync(tool, version, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The node all samples talk to. */
let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create('embedded');
  await installation.startNode('n1');
}, 120_000);
afterAll(() => installation?.remove());

describe.each(Object.entries(LANGUAGES))('the %s sample', (name, language) => {
  const [program = '', ...args] = language.run;
  const run = async (env: Record<string, string>, ...more: string[]) =>
    (
      await promisify(execFile)(program, [...args, ...more], { cwd: SAMPLES, env: { ...process.env, ...env }, timeout: 120_000 })
    ).stdout.trim();
  // Without its tool a language is left out, visibly: the sample itself must still be there.
  const test = isThere(language) ? it : it.skip;

  const { tool, compile } = language;
  if (compile && isThere(language))
    beforeAll(() => {
      execFileSync(tool, compile, { cwd: SAMPLES });
    }, 120_000);

  it('is there', () => {
    expect(existsSync(join(SAMPLES, language.file ?? (args.at(-1) as string)))).toBe(true);
  });

  test('signs as the vectors say', async () => {
    const usable = name === 'curl' ? vectors.positive.filter(canonicalOnly) : vectors.positive;
    expect(usable.length).toBeGreaterThanOrEqual(3);
    for (const { id, method, target, bodyUtf8, nonce, signature } of usable) {
      const env = {
        EVENKEEL_ACCESS_KEY: vectors.accessKey,
        EVENKEEL_SECRET_KEY: vectors.secret,
        EK1_TIMESTAMP: String(vectors.timestamp),
        EK1_NONCE: nonce,
        EK1_PRINT: '1',
      };
      expect([id, await run(env, method, target, bodyUtf8)]).toEqual([id, signature]);
    }
  }, 180_000);

  test('agrees with a node on a read with a query and on a submission', async () => {
    const { accessKey, secret } = installation.appKey;
    const env = { EVENKEEL_URL: installation.node('n1').url, EVENKEEL_ACCESS_KEY: accessKey, EVENKEEL_SECRET_KEY: secret };
    const body = JSON.stringify({ handler: `打印-${name}`, params: { a: 'ä' }, clientRequestId: `sample-${name}` });
    const receipt = JSON.parse(await run(env, 'POST', '/openapi/v1/tasks', body));
    expect(receipt).toMatchObject({ handler: `打印-${name}`, clientRequestId: `sample-${name}`, status: 'PENDING' });
    const query = `handler=${encodeURIComponent(`打印-${name}`)}&limit=5`;
    expect(JSON.parse(await run(env, 'GET', `/openapi/v1/tasks?${query}`)).items).toMatchObject([{ id: receipt.id }]);
  }, 120_000);
});
