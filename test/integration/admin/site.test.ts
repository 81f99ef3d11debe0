import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { ConsoleFiles } from '../../../src/admin/site/console-files.js';
import { CONSOLE_POLICY, ConsoleSite } from '../../../src/admin/site/console-site.js';
import type { Config } from '../../../src/platform/config.js';
import { FrontPage } from '../../../src/platform/http/front-page.js';
import { Folder } from '../../support/processes.js';

describe('the files of the console', () => {
  const folder = new Folder();
  const front = new FrontPage();
  let server: FastifyInstance;
  beforeAll(async () => {
    mkdirSync(join(folder.path, 'assets'));
    writeFileSync(join(folder.path, 'index.html'), '<!doctype html><html><head lang="en"><title>x</title></head></html>');
    writeFileSync(join(folder.path, 'assets', 'app-1a2b.js'), 'export {};');
    writeFileSync(join(folder.path, 'assets', 'app-1a2b.js.gz'), gzipSync('export {};'));
    server = Fastify();
    const site = new ConsoleSite({} as never, front, { publicPath: '/sched/' } as Config);
    site.serve(ConsoleFiles.read(folder.path) as ConsoleFiles, server);
    await server.ready();
  });
  afterAll(async () => {
    await server.close();
    folder.remove();
  });

  it('gives every page of the console the same page, with where it is reached', async () => {
    for (const url of ['/jobs/job_1', '/tasks?state=FAILED']) {
      const answer = await server.inject({ url, headers: { accept: 'text/html' } });
      expect(answer.body).toContain('<head lang="en"><base href="/sched/">');
      expect(answer.headers['content-security-policy']).toBe(CONSOLE_POLICY);
    }
    expect(front.page?.html).toContain('<base href="/sched/">');
    expect(CONSOLE_POLICY).toMatch(/script-src 'self';/);
  });

  it('serves what was built, packed if the client can unpack it', async () => {
    const packed = await server.inject({ url: '/assets/app-1a2b.js', headers: { 'accept-encoding': 'gzip, deflate' } });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': expect.stringContaining('immutable') });
    const plain = await server.inject({ url: '/assets/app-1a2b.js' });
    expect(plain.body).toBe('export {};');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('serves nothing else', async () => {
    for (const url of [
      '/assets/other.js',
      '/api/none',
      '/openapi/v1/none',
      '/../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/app-1a2b.js.gz',
    ])
      expect((await server.inject({ url, headers: { accept: '*/*' } })).statusCode).toBe(404);
    expect((await server.inject({ url: '/api/none', headers: { accept: 'text/html' } })).statusCode).toBe(404);
    expect(ConsoleFiles.read(join(folder.path, 'assets'))).toBeNull();
  });
});
