import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallFailed } from '../../../src/callbacks/call-failed.js';
import { CALLBACK_LIMITS, GuardedHttp } from '../../../src/callbacks/guarded-http.js';
import { dnsResolver } from '../../../src/callbacks/guarded-resolver.js';
import { addressClassifier } from '../../../src/decisions/address-class.js';
import { DnsServer, type Zone } from '../../support/dns-server.js';
import { waitFor } from '../../support/wait-for.js';
import vectors from '../../vectors/ssrf_vectors.json';

const LIMITS = { ...CALLBACK_LIMITS, connectMs: 700, headersMs: 1_200, totalMs: 2_000 };

/** Whatever its listener does to a connection; counts them. */
class RawServer {
  connections = 0;
  readonly sockets = new Set<Socket>();
  private constructor(readonly server: Server) {}

  static async listen(behave: (socket: Socket) => void): Promise<RawServer> {
    const server = createServer();
    const raw = new RawServer(server);
    server.on('connection', (socket) => {
      raw.connections++;
      raw.sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => raw.sockets.delete(socket));
      behave(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return raw;
  }
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
const answers =
  (...parts: string[]) =>
  (socket: Socket) =>
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });

describe('the guarded connector', () => {
  const closing: { close(): Promise<unknown> }[] = [];
  const raw = async (behave: (socket: Socket) => void) => {
    const server = await RawServer.listen(behave);
    closing.push(server);
    return server;
  };
  const zone = async (names: Zone) => {
    const server = await DnsServer.listen(names);
    closing.push(server);
    return server;
  };
  const http = (dns: DnsServer | undefined, networks: string[] = [], more: { ca?: string; reservedPorts?: Set<number> } = {}) => {
    const resolve = dnsResolver(dns ? [dns.address] : ['127.0.0.1:1']);
    const classify = addressClassifier(networks);
    return new GuardedHttp({ classify, resolve, reservedPorts: new Set(), devTargets: [], ...more });
  };
  const post = (guarded: GuardedHttp, url: string) =>
    guarded.call({ url: new URL(url), method: 'POST', headers: { 'webhook-signature': 'v1,x' }, body: '{}', limits: LIMITS });
  const failed = async (guarded: GuardedHttp, url: string): Promise<CallFailed> => {
    const error = await post(guarded, url).then(
      ({ status }) => status,
      (each) => each,
    );
    if (error instanceof CallFailed) return error;
    throw new Error(`did not fail: ${error}`);
  };
  const failure = async (guarded: GuardedHttp, url: string): Promise<string> => (await failed(guarded, url)).failure;
  const loopback = ['127.0.0.0/8'];

  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close();
  });

  it.each(vectors.dns.filter(({ expect: expected, answers: given }) => expected !== 'ok' && !given.includes('not-an-ip')))(
    'connects nowhere for $host ($answers)',
    async ({ host, answers: given }) => {
      const dns = await zone((name) => (name === host ? given : []));
      expect(await failure(http(dns), `https://${host}/`)).toBe('blocked');
    },
  );
  it.each(vectors.dns.filter(({ expect: expected }) => expected === 'ok'))(
    'would connect for $host',
    async ({ host, answers: given }) => {
      const dns = await zone(() => given);
      await expect(http(dns).check(new URL(`https://${host}/`))).resolves.toBeUndefined();
    },
  );

  it('B01: a name that turned private is not connected to', async () => {
    const inner = await raw(answers('HTTP/1.1 200 OK\r\n\r\n'));
    const dns = await zone((_, asked) => (asked === 1 ? ['93.184.216.34'] : ['127.0.0.1']));
    const guarded = http(dns);
    await guarded.check(new URL(`http://rebind.evil.com:${inner.port}/`));
    expect(await failure(guarded, `http://rebind.evil.com:${inner.port}/`)).toBe('blocked');
    expect(inner.connections).toBe(0);
  });

  it('B02: one resolution per connection, and the peer is one of its answers', async () => {
    const target = await raw(answers('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const dns = await zone((_, asked) => (asked % 2 === 1 ? ['127.0.0.1'] : ['10.0.0.1']));
    const guarded = http(dns, loopback);
    await expect(post(guarded, `http://flips.evil.com:${target.port}/`)).resolves.toMatchObject({ status: 200 });
    expect(dns.questions.filter((question) => question.endsWith(' 1'))).toHaveLength(1);
    expect(await failure(guarded, `http://flips.evil.com:${target.port}/`)).toBe('blocked');
    expect(target.connections).toBe(1);
  });

  it.each([302, 307, 308])('B03, B04: a %i is not followed', async (status) => {
    const inner = await raw(answers('HTTP/1.1 200 OK\r\n\r\n'));
    const first = await raw(
      answers(`HTTP/1.1 ${status} Moved\r\nlocation: http://127.0.0.1:${inner.port}/\r\ncontent-length: 0\r\n\r\n`),
    );
    await expect(post(http(undefined, loopback), `http://127.0.0.1:${first.port}/`)).resolves.toMatchObject({ status });
    expect(inner.connections).toBe(0);
  });

  it.each(['000', '099', '600', '999'])('takes %s for no answer of HTTP', async (status) => {
    const odd = await raw(answers(`HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`));
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${odd.port}/`)).toBe('http');
  });

  it('B05: reads at most 16 KiB of an endless body and closes', async () => {
    const endless = await raw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = () => {
          while (!socket.destroyed && socket.write('x'.repeat(16_384)));
        };
        socket.on('drain', more);
        more();
      });
    });
    const answer = await post(http(undefined, loopback), `http://127.0.0.1:${endless.port}/`);
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body).toHaveLength(CALLBACK_LIMITS.bodyBytes);
    await waitFor('the connection is closed', () => endless.sockets.size === 0);
  });

  it('B06: a body that trickles ends at the total deadline', async () => {
    const trickles = await raw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 100);
        socket.once('close', () => clearInterval(timer));
      });
    });
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${trickles.port}/`)).toBe('timeout');
    await waitFor('the connection is closed', () => trickles.sockets.size === 0);
  });

  it.each([
    ['a receipt whose body breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nOK', true, 200],
    ['a farewell whose body breaks off', 'HTTP/1.1 410 Gone\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno', true, 410],
    ['a receipt whose chunks are none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nOKOK', true, 200],
    ['a receipt whose body never ends', 'HTTP/1.1 202 OK\r\n\r\nOK', false, 202],
  ])('takes %s for what its status says, where that suffices', async (_what, text, ends, status) => {
    const receiver = await raw((socket) => {
      socket.once('data', () => {
        socket.write(text);
        if (ends) socket.end();
      });
    });
    const call = { url: new URL(`http://127.0.0.1:${receiver.port}/`), method: 'POST', headers: {}, body: '{}' };
    const limits = { ...CALLBACK_LIMITS, totalMs: ends ? CALLBACK_LIMITS.totalMs : 500 };
    const asked = http(undefined, loopback);
    await expect(asked.call({ ...call, limits, statusSuffices: true })).resolves.toMatchObject({ status, truncated: true });
    await expect(asked.call({ ...call, limits })).rejects.toMatchObject({ failure: ends ? 'http' : 'timeout' });
    await waitFor('the connections are closed', () => receiver.sockets.size === 0);
  });

  it('B07: never decompresses', async () => {
    const bomb = await raw(answers('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00'));
    const answer = await post(http(undefined, loopback), `http://127.0.0.1:${bomb.port}/`);
    expect(answer.body.length).toBeLessThan(8);
  });

  it('B08: gives up on headers that are too large or too many', async () => {
    const large = await raw(answers(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}\r\n\r\n`));
    const many = await raw(answers('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(10_000), '\r\n'));
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${large.port}/`)).toBe('too_large');
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${many.port}/`)).toBe('too_large');
  });

  it('B10: gives up on a server that says nothing, during the handshake or after it', async () => {
    const silent = await raw((socket) => socket.resume());
    const dns = await zone(() => ['127.0.0.1']);
    expect(await failure(http(dns, loopback), `https://silent.evil.com:${silent.port}/`)).toBe('timeout');
    expect(await failure(http(dns, loopback), `http://silent.evil.com:${silent.port}/`)).toBe('timeout');
    await waitFor('the connections are closed', () => silent.sockets.size === 0);
  });

  it('B11: passes over 1xx, takes 2xx, discards what follows and closes', async () => {
    const chatty = await raw(
      answers(
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.1 103 Early Hints\r\n\r\n',
        'HTTP/1.1 204 No Content\r\n\r\nmore than nothing',
      ),
    );
    await expect(post(http(undefined, loopback), `http://127.0.0.1:${chatty.port}/`)).resolves.toMatchObject({ status: 204 });
    await waitFor('the connection is closed', () => chatty.sockets.size === 0);
    const switching = await raw(answers('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'));
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${switching.port}/`)).toBe('http');
  });

  it('B12: uses no proxy of the environment', async () => {
    const proxy = await raw(answers('HTTP/1.1 200 OK\r\n\r\n'));
    const target = await raw(answers('HTTP/1.1 204 No Content\r\n\r\n'));
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    try {
      await expect(post(http(undefined, loopback), `http://127.0.0.1:${target.port}/`)).resolves.toMatchObject({ status: 204 });
    } finally {
      process.env = before;
    }
    expect(proxy.connections).toBe(0);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]', '2130706433', 'localhost'])(
    'connects to %s only if it is opened',
    async (host) => {
      const inner = await raw(answers('HTTP/1.1 200 OK\r\n\r\n'));
      expect(await failure(http(undefined), `http://${host}:${inner.port}/`)).toBe('blocked');
      expect(inner.connections).toBe(0);
    },
  );

  it('reaches no reserved port on an opened network', async () => {
    const inner = await raw(answers('HTTP/1.1 200 OK\r\n\r\n'));
    const guarded = http(undefined, loopback, { reservedPorts: new Set([inner.port]) });
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await failed(guarded, `http://${host}:${inner.port}/`)).toMatchObject({ failure: 'blocked', guard: 'own_port' });
    // Where the network is closed too, the port is not what is in the way.
    const closed = http(undefined, [], { reservedPorts: new Set([inner.port]) });
    expect(await failed(closed, `http://127.0.0.1:${inner.port}/`)).toMatchObject({ failure: 'blocked', guard: 'address' });
    expect(inner.connections).toBe(0);
  });

  it('tells names that do not resolve and ports nobody listens on apart', async () => {
    const dns = await zone(() => []);
    expect(await failure(http(dns), 'https://nowhere.evil.com/')).toBe('dns');
    const gone = await RawServer.listen(() => undefined);
    const { port } = gone;
    await gone.close();
    expect(await failure(http(undefined, loopback), `http://127.0.0.1:${port}/`)).toBe('connect');
  });

  it('B09: trusts no certificate that is self-signed, for another name, or over', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-tls-'));
    const certificate = (name: string, days: number) => {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      execFileSync(
        'openssl',
        ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', String(days), ...subject],
        { stdio: 'ignore' },
      );
      return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    };
    const good = certificate('tls.partner.com', 2);
    const secure = createSecureServer(good, (_, response) => response.writeHead(204).end());
    secure.listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const { port } = secure.address() as AddressInfo;
    const dns = await zone(() => ['127.0.0.1']);
    expect(await failure(http(dns, loopback), `https://tls.partner.com:${port}/`)).toBe('tls');
    expect(await failure(http(dns, loopback, { ca: good.cert }), `https://other.partner.com:${port}/`)).toBe('tls');
    await expect(post(http(dns, loopback, { ca: good.cert }), `https://tls.partner.com:${port}/`)).resolves.toMatchObject({
      status: 204,
    });
    secure.closeAllConnections();
    secure.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
