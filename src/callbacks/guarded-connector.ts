import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { AddressClassifier } from '../decisions/address-class.js';
import { literalAddress } from '../decisions/callback-url.js';
import type { CallTrace } from '../decisions/wire-record.js';
import { CallFailed } from './call-failed.js';
import type { ResolveName } from './guarded-resolver.js';

export interface Targets {
  classify: AddressClassifier;
  resolve: ResolveName;
  /** Ports nobody may reach on an address that was merely opened: those of this centre and of what it stands on. */
  reservedPorts: ReadonlySet<number>;
  /** `host:port` of development targets, whose addresses are not looked at. */
  devTargets: readonly string[];
  /** Certificates to trust besides the public ones; for tests. */
  ca?: string;
}

const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Opens connections, each to an address that was validated for it: a name is resolved once per connection, every one of its answers
 * must be allowed, the socket goes to exactly those, and the peer it then has is compared with them. So neither a literal address,
 * a mixed answer nor a name that changes between two questions leads anywhere else. TLS is verified against the name; there is no
 * switch for it.
 */
export class GuardedConnector {
  constructor(private readonly targets: Targets) {}

  /** A connected socket, after the handshake if the URL is https. Rejects with CallFailed; no socket is left open then. */
  async connect(url: URL, deadlineMs: number, signal: AbortSignal, trace: CallTrace = {}): Promise<Socket> {
    const began = performance.now();
    const until = began + deadlineMs;
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port || (isSecure ? 443 : 80));
    const addresses = await within(this.addressesOf(url.hostname, port), deadlineMs, signal);
    trace.dnsMs = since(began);
    return this.open(url, port, addresses, isSecure, until - performance.now(), signal, trace);
  }

  /** The addresses the name has now, all of them allowed. Rejects with CallFailed. */
  async addressesOf(hostname: string, port: number): Promise<string[]> {
    const literal = literalAddress(hostname);
    const isDevTarget = this.targets.devTargets.includes(`${hostname}:${port}`);
    if (literal === undefined && hostname === 'localhost') {
      const allowed = LOOPBACK.filter((address) => isDevTarget || this.refusalOf(address, port) === null);
      if (allowed.length === 0) throw this.refused(LOOPBACK, port);
      return allowed;
    }
    const addresses = literal === undefined ? await this.resolve(hostname) : [literal];
    if (!isDevTarget && addresses.some((address) => this.refusalOf(address, port) !== null)) throw this.refused(addresses, port);
    return addresses;
  }

  private refusalOf(address: string, port: number): 'address' | 'own_port' | null {
    const kind = this.targets.classify(address);
    if (kind === 'public') return null;
    if (kind === 'refused') return 'address';
    return this.targets.reservedPorts.has(port) ? 'own_port' : null;
  }

  /** By the port where that is in the way of one of them: no setting opens it. */
  private refused(addresses: readonly string[], port: number): CallFailed {
    const isOwnPort = addresses.some((address) => this.refusalOf(address, port) === 'own_port');
    return new CallFailed('blocked', 'the address is not allowed', undefined, isOwnPort ? 'own_port' : 'address');
  }

  private async resolve(hostname: string): Promise<string[]> {
    const addresses = await this.targets.resolve(hostname).catch((error: NodeJS.ErrnoException) => {
      throw new CallFailed('dns', error.code ?? 'the name does not resolve', error);
    });
    if (addresses.length === 0) throw new CallFailed('dns', 'the name has no address');
    return addresses;
  }

  private open(
    url: URL,
    port: number,
    addresses: string[],
    isSecure: boolean,
    ms: number,
    signal: AbortSignal,
    trace: CallTrace,
  ): Promise<Socket> {
    const began = performance.now();
    let connectedAt = began;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const lookup: LookupFunction = (_, { all }, callback) => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      const [first] = found;
      if (all) callback(null, found);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    };
    const common = { host, port, lookup };
    const servername = literalAddress(url.hostname) === undefined ? host : '';
    const { ca } = this.targets;
    const socket = isSecure
      ? connectSecure({ ...common, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, ...(ca ? { ca } : {}) })
      : connectPlain(common);
    let hasPeer = false;
    return new Promise<Socket>((resolve, reject) => {
      const fail = (error: CallFailed) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        socket.destroy();
        reject(error);
      };
      const aborted = () => fail(new CallFailed('timeout', 'not connected in time'));
      const timer = setTimeout(aborted, Math.max(1, ms));
      signal.addEventListener('abort', aborted, { once: true });
      socket.on('error', (error: NodeJS.ErrnoException) =>
        fail(new CallFailed(hasPeer && isSecure ? 'tls' : 'connect', error.code ?? 'not connected', error)),
      );
      socket.once('connect', () => {
        hasPeer = true;
        connectedAt = performance.now();
        trace.connectMs = since(began);
        if (!addresses.some((address) => isSameAddress(address, socket.remoteAddress)))
          fail(new CallFailed('blocked', 'the address is not allowed', undefined, 'peer'));
      });
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        if (socket.destroyed) return;
        if (isSecure) trace.tlsMs = since(connectedAt);
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        resolve(socket);
      });
      if (signal.aborted) aborted();
    });
  }
}

/** An IPv6 address has many spellings; a v4-mapped peer is the v4 address it maps. */
function isSameAddress(address: string, peer: string | undefined): boolean {
  if (peer === undefined) return false;
  const plain = peer.replace(/^::ffff:(?=\d+\.)/, '');
  return canonical(address) === canonical(plain);
}

const canonical = (address: string): string => (isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address);

/** Milliseconds, to a tenth. */
export const since = (began: number): number => Math.round((performance.now() - began) * 10) / 10;

function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new CallFailed('timeout', 'not connected in time'));
    const timer = setTimeout(late, ms);
    signal.addEventListener('abort', late, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
    });
  });
}
