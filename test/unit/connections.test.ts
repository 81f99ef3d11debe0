import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Connections } from '../../src/platform/http/connections.js';
import { waitFor } from '../support/wait-for.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

describe('the connections of a server that leaves', () => {
  let server: Server;
  let connections: Connections;
  const asked: [IncomingMessage, ServerResponse][] = [];
  const sockets: Socket[] = [];
  /** The server's ends. */
  const taken: Socket[] = [];
  let closed = false;

  async function listen(answeredWithinMs = 60_000): Promise<void> {
    asked.length = 0;
    taken.length = 0;
    closed = false;
    server = createServer((request, response) => asked.push([request, response]));
    connections = new Connections(server, answeredWithinMs);
    server.on('connection', (socket) => taken.push(socket));
    server.once('close', () => {
      closed = true;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  /** A client, and everything it has heard. */
  async function client(text = '') {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    const heard = { socket, text: '', ended: false, failed: false };
    socket.setEncoding('utf8').on('data', (part: string) => {
      heard.text += part;
    });
    socket.once('error', () => {
      heard.failed = true;
    });
    socket.once('close', () => {
      heard.ended = true;
    });
    await once(socket, 'connect');
    if (text) socket.write(text);
    return heard;
  }
  const requests = (count: number) => waitFor(`${count} requests have come in`, () => asked.length === count);
  const response = (n: number) => (asked[n] as [IncomingMessage, ServerResponse])[1];
  const isClosed = () => waitFor('the server is closed', () => closed);

  it('answers what is under way, says that it is the last answer, and ends the connection', async () => {
    await listen();
    const caller = await client(GET);
    await requests(1);
    connections.leave();
    expect(caller.ended).toBe(false);
    response(0).end('done');
    await isClosed();
    await waitFor('the client has it', () => caller.ended);
    expect(caller.text).toMatch(/connection: close/i);
    expect(caller.text).toMatch(/done$/);
    expect(caller.failed).toBe(false);
  });

  it('ends a connection behind an answer whose head has already promised to keep it', async () => {
    await listen();
    const caller = await client(GET);
    await requests(1);
    response(0).writeHead(200, { 'content-length': 4 }).write('do');
    await waitFor('the client has a part', () => caller.text.endsWith('do'));
    expect(caller.text).toMatch(/connection: keep-alive/i);
    connections.leave();
    response(0).end('ne');
    await isClosed();
    await waitFor('the client has the rest', () => caller.ended);
    expect(caller.text).toMatch(/done$/);
  });

  it('answers every request that was sent ahead, and says only with the last one that there will be none', async () => {
    await listen();
    const caller = await client(GET + GET + GET);
    await requests(3);
    connections.leave();
    response(1).end('two');
    response(2).end('three');
    response(0).end('one');
    await isClosed();
    await waitFor('the client has them', () => caller.ended);
    expect(caller.text.match(/one|two|three|connection: [a-z-]+/gi)).toEqual([
      'Connection: keep-alive',
      'one',
      'Connection: keep-alive',
      'two',
      'Connection: close',
      'three',
    ]);
  });

  it('takes what arrives late on a connection it has, and takes no new connections', async () => {
    await listen();
    const half = await client(GET.slice(0, 20));
    await waitFor('the half has arrived', async () => (await count()) === 1);
    await waitFor('it was read', () => taken.some((socket) => socket.bytesRead > 0));
    const { port } = server.address() as AddressInfo;
    connections.leave();
    const late = connect(port, '127.0.0.1');
    const [error] = await once(late, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    half.socket.write(GET.slice(20));
    await requests(1);
    response(0).end('done');
    await isClosed();
    await waitFor('the client has it', () => half.ended);
    expect(half.text).toMatch(/connection: close/i);
  });

  it('lets idle ones go at once, those too over which nothing was ever sent', async () => {
    await listen();
    const idle = await client(GET);
    await requests(1);
    response(0).end('done');
    await waitFor('it is answered', () => idle.text.endsWith('done'));
    const silent = await client();
    await waitFor('both are known', async () => (await count()) === 2);
    connections.leave();
    await isClosed();
    await waitFor('both have heard', () => idle.ended && silent.ended);
  });

  it('cuts off what is still open after a while: a request half sent, one that is not answered, an answer nobody reads', async () => {
    await listen(300);
    const head = await client(GET.slice(0, 20));
    const body = await client('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nhalf');
    const slow = await client();
    await waitFor('both are known', async () => (await count()) === 3);
    slow.socket.pause();
    slow.socket.write(GET);
    await requests(2);
    await waitFor('all were read', () => taken.every((socket) => socket.bytesRead > 0));
    for (const [{ method }, answer] of asked) if (method === 'GET') answer.end(Buffer.alloc(64 * 1024 * 1024));
    connections.leave();
    await isClosed();
    slow.socket.resume();
    await waitFor('all have heard', () => [head, body, slow].every(({ ended }) => ended));
  });

  const count = () => new Promise<number>((resolve) => server.getConnections((_error, n) => resolve(n)));
});
