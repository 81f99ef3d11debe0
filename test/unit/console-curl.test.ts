import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { curlText } from '../../console/src/features/tasks/curl-text.js';

const WORK = {
  handler: 'settle',
  group: 'pay',
  paramsText: '{"exact":9007199254740993,"much":1e400}',
  priority: 7,
  timeoutMs: 90_000,
  policies: { retry: { kind: 'none' as const }, crashRetries: 2, onShardFailure: 'stop' as const },
  shards: null,
  metadata: {},
  callbackUrl: null,
};
const HOSTILE = '\'; touch owned; echo $(touch owned) `touch owned` "$HOME" \\ ! \u202E % \n@file';

describe('a task as a line for the shell', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-curl-'));
    // Stands where the shell finds it first, and leaves what it was asked for.
    writeFileSync(join(folder, 'curl'), '#!/bin/sh\nfor last; do :; done\nprintf %s \'printf %s "$3" > body\' > "$last"\n', {
      mode: 0o755,
    });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const sent = (text: string | null): string => {
    writeFileSync(join(folder, 'pasted.sh'), text as string);
    execFileSync('sh', ['pasted.sh'], { cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` } });
    return readFileSync(join(folder, 'body'), 'utf8');
  };

  it('submits the same work, digit for digit, with what a submission may state', () => {
    const body = sent(curlText(WORK, 'http://centre'));
    expect(body).toContain('"params":{"exact":9007199254740993,"much":1e400}');
    expect(JSON.parse(body)).toEqual({
      handler: 'settle',
      group: 'pay',
      params: expect.anything(),
      priority: 7,
      timeoutMs: 90_000,
      retry: { kind: 'none' },
    });
    const shards = { total: 3, done: 0, failed: 0, running: 0, pending: 3 };
    expect(JSON.parse(sent(curlText({ ...WORK, shards }, 'http://centre')))).toMatchObject({ shards: 3, onShardFailure: 'stop' });
  });

  it('is nothing but words to the shell, whatever is in it', () => {
    const paramsText = JSON.stringify({ [HOSTILE]: HOSTILE });
    const work = { ...WORK, handler: HOSTILE, paramsText, metadata: { note: HOSTILE }, callbackUrl: `https://x/${HOSTILE}` };
    const body = JSON.parse(sent(curlText(work, "http://centre/'$(touch owned)'")));
    expect(body).toMatchObject({ handler: HOSTILE, params: { [HOSTILE]: HOSTILE }, metadata: { note: HOSTILE } });
    expect(readdirSync(folder).sort()).toEqual(['body', 'curl', 'ek1.sh', 'pasted.sh']);
  });

  it('is not offered when no command line could hold it', () => {
    expect(curlText({ ...WORK, paramsText: `"${'水'.repeat(40_000)}"` }, 'http://centre')).toBeNull();
    expect(curlText({ ...WORK, paramsText: `"${'x'.repeat(100_000)}"` }, 'http://centre')).not.toBeNull();
  });
});
