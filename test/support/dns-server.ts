import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

const A = 1;
const AAAA = 28;

/** Tells the addresses of a name; how often it was asked for that family (from 1 on) is known. */
export type Zone = (hostname: string, asked: number) => readonly string[];

/** A real DNS server on loopback that answers A and AAAA questions from a zone. Unknown names do not exist. */
export class DnsServer {
  readonly questions: string[] = [];
  private readonly counts = new Map<string, number>();

  private constructor(
    private readonly socket: Socket,
    private readonly zone: Zone,
  ) {
    socket.on('message', (message, { address, port }) => socket.send(this.answer(message), port, address));
  }

  static async listen(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, zone);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async close(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(query: Buffer): Buffer {
    let at = 12;
    const labels: string[] = [];
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(12, at + 5);
    const name = labels.join('.').toLowerCase();
    const key = `${name} ${type}`;
    const asked = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, asked);
    this.questions.push(key);
    const family = type === A ? 4 : type === AAAA ? 6 : 0;
    const addresses = this.zone(name, asked);
    const records = addresses.filter((address) => isIP(address) === family).map((address) => record(type, address));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses.length > 0 ? 0x8580 : 0x8583, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}

/** Names its owner by a pointer to the question; lives for no time at all. */
function record(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : sixteenBytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function sixteenBytes(address: string): Buffer {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = plain.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [words(before), words(after ?? '')];
  const middle = after === undefined ? 0 : 8 - left.length - right.length;
  const bytes = Buffer.alloc(16);
  for (const [i, word] of [...left, ...Array(middle).fill(0), ...right].entries()) bytes.writeUInt16BE(word, i * 2);
  return bytes;
}
