import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'console-shots.mjs');
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-shots-test-'));
let site: Server;
beforeAll(async () => {
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>here</h1>'));
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'house.json'), JSON.stringify({ url, pages: [['login', 'login']] }));
});
afterAll(() => {
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

async function shots(...options: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [SCRIPT, folder, `--house=${join(folder, 'house.json')}`, ...options]);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((done) => child.once('close', (code) => done({ code, said })));
}

describe('pictures of the console', () => {
  it('of Chinese are asked for by zh too', async () => {
    expect(await shots('--language=zh', '--theme=dark')).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toContain('login.zh-CN.dark.png');
  });

  it('of what there is not are refused, with what there is', async () => {
    expect(await shots('--language=fr')).toEqual({ code: 2, said: '--language=fr: there is zh-CN and en\n' });
    expect(await shots('--theme=blue')).toEqual({ code: 2, said: '--theme=blue: there is light and dark\n' });
    expect(await shots('--only=nowhere')).toEqual({
      code: 2,
      said: '--only=nowhere: no page is called so; there is login\n',
    });
  });
});
