import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { AdminBrowser, PASSWORD } from '../support/admin-browser.js';
import { Installation, type RunningNode } from '../support/installation.js';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { ADAPTERS } from '../support/services.js';
import { ended, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  body: any;
}

describe.each(ADAPTERS)('a node that is asked to stop (%s)', (adapter) => {
  let installation: Installation;
  const agent = new Agent({ keepAlive: true });
  const sockets: Socket[] = [];

  beforeAll(async () => {
    installation = await Installation.create(adapter);
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    for (const socket of sockets) socket.destroy();
    await installation?.remove();
  });

  const port = ({ url }: RunningNode) => Number(new URL(url).port);
  function signed(node: RunningNode, target: string): Promise<Answer> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const { accessKey, secret } = installation.appKey;
    const headers = signedHeaders({ accessKey, timestamp, nonce: randomUUID(), method: 'GET', target, body: '' }, secret);
    return new Promise((resolve, reject) => {
      get(node.url + target, { headers, agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('end', () =>
          resolve({
            status: answer.statusCode as number,
            headers: answer.headers,
            body: JSON.parse(Buffer.concat(chunks).toString()),
          }),
        );
      }).once('error', reject);
    });
  }
  /** A connection, what was heard on it, and that it has ended. */
  async function raw(node: RunningNode, text = '') {
    const socket = connect(port(node), '127.0.0.1');
    sockets.push(socket);
    const heard = { socket, text: '', ended: false };
    socket.setEncoding('utf8').on('data', (part: string) => {
      heard.text += part;
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      heard.ended = true;
    });
    await once(socket, 'connect');
    if (text) socket.write(text);
    return heard;
  }
  async function stream(node: RunningNode) {
    const browser = new AdminBrowser(node.url);
    expect((await browser.post('/api/session', { username: 'admin', password: PASSWORD })).status).toBe(200);
    const { cookie } = browser;
    const opened = await raw(node, `GET /api/stream?topics=tasks HTTP/1.1\r\nhost: a\r\ncookie: ${cookie}\r\n\r\n`);
    await waitFor('the stream is open', () => opened.text.includes('event: beat'));
    return opened;
  }

  it('answers whoever waits, ends streams in order, cuts off what never comes, and leaves with exit code 0', async () => {
    const node = await installation.startNode('n1', { EVENKEEL_ADMIN_PASSWORD: PASSWORD });
    const worker = await ScriptedWorker.register(installation, { id: 'w1', slots: 4 });
    const client = installation.client();
    const { id } = await client.submit('noop', null);
    await untilTask(client, id, 'RUNNING');
    client.close();

    const idle = await raw(node, 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await waitFor('it is answered', () => idle.text.endsWith('}'));
    const silent = await raw(node);
    const halfHead = await raw(node, 'GET /healthz HTTP/1.1\r\nho');
    const login = JSON.stringify({ username: 'admin', password: PASSWORD });
    const halfBody = await raw(
      node,
      `POST /api/session HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${login.length}\r\n\r\n{`,
    );
    const watching = await stream(node);
    const held = [signed(node, `/openapi/v1/tasks/${id}?wait=30`), signed(node, `/openapi/v1/tasks/${id}/logs?wait=30`)];
    // Held once the node has read them: what is sent later on another connection is answered later.
    await waitFor('the polls are held', async () => {
      const sent = Object.values(agent.sockets).flat();
      return sent.length === held.length && sent.every((socket) => socket?.writableLength === 0 && socket.bytesWritten > 0);
    });
    await signed(node, '/openapi/v1/me');

    const exit = node.process.stop();
    const [task, logs] = await Promise.all(held);
    expect(task).toMatchObject({ status: 200, headers: { connection: 'close' }, body: { id, status: 'RUNNING' } });
    expect(logs).toMatchObject({ status: 200, headers: { connection: 'close' }, body: { items: [] } });
    await waitFor('the stream and the idle ones have ended', () => [watching, idle, silent].every((each) => each.ended));
    // The last chunk says that nothing is missing.
    expect(watching.text).toMatch(/\r\n0\r\n\r\n$/);
    // What is half sent may still be sent.
    expect([halfHead.ended, halfBody.ended]).toEqual([false, false]);
    await expect(raw(node)).rejects.toThrow('ECONNREFUSED');
    halfBody.socket.write(login.slice(1));
    await waitFor('it is answered in full', () => halfBody.ended);
    expect(halfBody.text).toMatch(/^HTTP\/1.1 200 /);
    expect(halfBody.text).toMatch(/connection: close/i);
    expect(halfHead.ended).toBe(false);
    expect(await exit).toBe(0);
    await waitFor('the other was cut off', () => halfHead.ended);

    const again = await installation.startNode('n1', { PORT: String(port(node)) });
    await worker.end(id);
    const [finished] = await ended(installation.client(again.url), [id]);
    expect(finished).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    await worker.vanish();
    expect(await again.process.stop()).toBe(0);
  }, 120_000);
});
