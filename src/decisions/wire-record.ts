/** Milliseconds of each step of a call that was reached; absent for one that was not. */
export interface CallTrace {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  /** From the request to the answer's headers. */
  firstByteMs?: number;
  /** Headers and body were written to the socket. */
  sent?: boolean;
}
export type Header = readonly [name: string, value: string];
/** How an attempt went on the wire, as far as it may be kept. */
export interface WireRecord {
  /** Null: nothing was sent. */
  requestHeaders: Header[] | null;
  timing: Omit<CallTrace, 'sent'>;
  /** Null: there was none. */
  responseHeaders: Header[] | null;
  /** What was read of the answer's body. */
  responseBytes: number;
  /** The answer was longer than what was read. */
  responseCut: boolean;
  /** The guard that refused the target. Never which address it had. */
  refusedBy: string | null;
}

const SECRET = /cookie|auth|token|secret|signature|credential|api-?key|password/i;
const SHOWN_OF_SIGNATURE = 8;
const HEADERS = 40;
const NAME_LENGTH = 64;
const VALUE_LENGTH = 256;

/** Enough to compare a signature with another, and nothing to send it again with. */
const shortened = (signatures: string): string =>
  signatures.replace(
    /(v1a?,)([A-Za-z0-9+/=]+)/g,
    (_, version: string, text: string) => `${version}${text.slice(0, SHOWN_OF_SIGNATURE)}…`,
  );

/** Headers this centre sent. */
export const sentHeaders = (headers: Readonly<Record<string, string>>): Header[] =>
  Object.entries(headers).map(([name, value]) => [name, name === 'webhook-signature' ? shortened(value) : value]);

/** Headers a receiver answered with: so many, so long, printable, and masked where they are named like secrets. */
export const answeredHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Header[] =>
  Object.entries(headers)
    .slice(0, HEADERS)
    .map(([name, value]) => [
      kept(name, NAME_LENGTH),
      SECRET.test(name) ? '***' : kept(Array.isArray(value) ? value.join(', ') : (value ?? ''), VALUE_LENGTH),
    ]);

function kept(text: string, length: number): string {
  const plain = text.replace(/[^ -~]/g, '?');
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain;
}
