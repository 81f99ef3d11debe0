import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { Folder } from './processes.js';
import { waitFor } from './wait-for.js';

const CANDIDATES = [
  process.env.NGINX_PATH,
  '/usr/sbin/nginx',
  '/usr/local/sbin/nginx',
  '/usr/bin/nginx',
  '/opt/homebrew/bin/nginx',
];

/** The nginx of this machine, or undefined: then the tests that need one are skipped, visibly. `npm test` installs it where apt can. */
export const nginxPath = (): string | undefined => CANDIDATES.find((path) => path && existsSync(path));

/** A real nginx before one node: at `url` as the README says, at `rewritingUrl` with a path after the host, as it must not be. */
export class Nginx {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: Folder,
    readonly url: string,
    readonly rewritingUrl: string,
  ) {}

  static async before(node: string): Promise<Nginx> {
    const folder = new Folder();
    const [port, rewritingPort] = [await freePort(), await freePort()];
    const file = join(folder.path, 'nginx.conf');
    mkdirSync(join(folder.path, 'temp'));
    writeFileSync(file, configuration(folder.path, new URL(node).host, port, rewritingPort));
    const child = spawn(nginxPath() as string, ['-p', folder.path, '-c', file, '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const nginx = new Nginx(child, folder, `http://127.0.0.1:${port}`, `http://127.0.0.1:${rewritingPort}`);
    try {
      await waitFor('nginx listens', () => child.exitCode !== null || listens(rewritingPort));
      if (child.exitCode !== null) throw new Error(`nginx ended at its start: ${errors}`);
    } catch (error) {
      await nginx.stop();
      throw error;
    }
    return nginx;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGTERM');
      await ended;
    }
    this.folder.remove();
  }
}

function configuration(folder: string, node: string, port: number, rewritingPort: number): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp/${name};`);
  const passed =
    'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $remote_addr; proxy_read_timeout 60s;';
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 128; }
http {
  access_log off;
  client_max_body_size 5m;
  ${temp.join(' ')}
  upstream up { server ${node}; keepalive 8; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://up; ${passed} } }
  server { listen 127.0.0.1:${rewritingPort}; location /openapi/ { proxy_pass http://up/openapi/; ${passed} } }
}
`;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
