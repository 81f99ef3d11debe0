import {
  canonicalTarget,
  EK1_HEADERS,
  EK1_PATTERNS,
  EK1_SCHEME,
  EK1_WINDOW_SECONDS,
  InvalidTargetError,
} from '../../../../sdk/src/contract/canonical-target';
import { hex, hmacSha256, sha256 } from '../../lib/sha256';

/** What was signed, as its sender has it. The secret stays where this is called. */
export interface SignedRequest {
  accessKey: string;
  secret: string;
  method: string;
  /** Path and query as they stand in the request line. */
  target: string;
  timestamp: string;
  nonce: string;
  body: string;
  /** Bytes of a file, which count in the place of the text: a text field holds no carriage return. */
  file?: BodyFile;
  /** SHA-256 of a body that is not here; the body is not looked at then. */
  digest?: string;
}
export interface BodyFile {
  name: string;
  bytes: Uint8Array;
}
export interface Signed {
  /** The eight lines, in their order. */
  lines: string[];
  digest: string;
  signature: string;
  headers: [name: string, value: string][];
}
export const LINE_NAMES = ['scheme', 'accessKey', 'timestamp', 'nonce', 'method', 'path', 'query', 'digest'] as const;
export type Cause =
  | 'form'
  | 'base64'
  | 'bodyEmpty'
  | 'bodyNewline'
  | 'bodyCrlf'
  | 'queryOrder'
  | 'queryMissing'
  | 'queryPlus'
  | 'methodCase'
  | 'milliseconds'
  | 'secretBlank'
  | 'trailingNewline'
  | 'wholeUrl'
  | 'pathPrefix'
  | 'bodyIndent';

type LineName = (typeof LINE_NAMES)[number];
/** The line a mistake is made in; absent: in none of them. */
const LINE_OF: Partial<Record<Cause, LineName>> = {
  bodyEmpty: 'digest',
  bodyNewline: 'digest',
  bodyCrlf: 'digest',
  bodyIndent: 'digest',
  queryOrder: 'query',
  queryMissing: 'query',
  queryPlus: 'query',
  methodCase: 'method',
  milliseconds: 'timestamp',
  wholeUrl: 'path',
  pathPrefix: 'path',
};
/** Its number, from 0. */
export function lineOf(cause: Cause): number | null {
  const name = LINE_OF[cause];
  return name === undefined ? null : LINE_NAMES.indexOf(name);
}

const utf8 = new TextEncoder();
const digestOf = (body: string | Uint8Array): string => hex(sha256(typeof body === 'string' ? utf8.encode(body) : body));
const signatureOf = (secret: string, text: string): string => `v1=${hex(hmacSha256(utf8.encode(secret), utf8.encode(text)))}`;

/** Throws InvalidTargetError. */
export function sign(request: SignedRequest): Signed {
  const { accessKey, timestamp, nonce, method, target, body, file, secret } = request;
  const { path, canonicalQuery } = canonicalTarget(target);
  const digest = request.digest ?? digestOf(file?.bytes ?? body);
  const lines = [EK1_SCHEME, accessKey, timestamp, nonce, method, path, canonicalQuery, digest];
  const signature = signatureOf(secret, lines.join('\n'));
  return {
    lines,
    digest,
    signature,
    headers: [
      [EK1_HEADERS.accessKey, accessKey],
      [EK1_HEADERS.timestamp, timestamp],
      [EK1_HEADERS.nonce, nonce],
      [EK1_HEADERS.signature, signature],
    ],
  };
}

/** Which usual mistake makes exactly the signature that was received; null if none of them does. */
export function causeOf(request: SignedRequest, signed: Signed, received: string): Cause | null {
  const given = received.trim();
  const expected = signed.signature.slice(3);
  if (given.toLowerCase().replace(/^v1=/, '') === expected) return 'form';
  if (given.replace(/^v1=/, '') === base64(expected)) return 'base64';
  for (const [cause, text, secret] of mistakes(request, signed.lines))
    if (signatureOf(secret ?? request.secret, text) === given) return cause;
  return null;
}

function mistakes(request: SignedRequest, lines: readonly string[]): [Cause, string, string?][] {
  const { target, method, timestamp, secret } = request;
  const body = textOf(request);
  const rawQuery = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const withLine = (name: LineName, value: string) => lines.map((line, i) => (LINE_NAMES[i] === name ? value : line)).join('\n');
  const withBody = (text: string) => withLine('digest', digestOf(text));
  const whole = lines.join('\n');
  return [
    ['bodyEmpty', withLine('digest', '')],
    ['bodyEmpty', withBody('')],
    ['bodyNewline', withBody(`${body}\n`)],
    ['bodyNewline', withBody(body.replace(/\r?\n$/, ''))],
    ['bodyCrlf', withBody(body.replace(/\r?\n/g, '\r\n'))],
    ['bodyCrlf', withBody(body.replaceAll('\r\n', '\n'))],
    ['bodyIndent', withBody(minified(body))],
    ['queryOrder', withLine('query', rawQuery)],
    ['queryMissing', withLine('query', '')],
    ['queryPlus', withLine('query', (lines[6] as string).replaceAll('%20', '+'))],
    ['queryPlus', withLine('query', (lines[6] as string).replaceAll('%20', '%2B'))],
    ['methodCase', withLine('method', method.toLowerCase())],
    ['milliseconds', withLine('timestamp', `${timestamp}000`)],
    ['trailingNewline', `${whole}\n`],
    ['wholeUrl', withLine('path', target)],
    ['pathPrefix', withLine('path', (lines[5] as string).replace(/^.+(?=\/(openapi|worker)\/)/, ''))],
    ['secretBlank', whole, `${secret}\n`],
    ['secretBlank', whole, secret.trim()],
  ];
}

/** As it was encoded, a mark of byte order included. */
const textOf = ({ body, file }: SignedRequest): string =>
  file ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes) : body;

function minified(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

const base64 = (text: string): string =>
  btoa(String.fromCharCode(...(text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));

/** Number of the first line that differs, from 0; null if none does. */
export function firstDifference(own: readonly string[], theirs: string): number | null {
  const other = theirs.replace(/\n$/, '').split('\n');
  const length = Math.max(own.length, other.length);
  for (let i = 0; i < length; i++) if (own[i] !== other[i]) return i;
  return null;
}

export type Complaint = { field: 'target'; rule: string } | { field: 'accessKey' | 'timestamp' | 'nonce' | 'skew'; rule: null };

/** What the server would refuse before it looks at the signature. */
export function complaints({ accessKey, timestamp, nonce, target }: SignedRequest, nowSeconds: number): Complaint[] {
  const found: Complaint[] = [];
  if (!EK1_PATTERNS.partnerKey.test(accessKey) && !EK1_PATTERNS.workerKey.test(accessKey))
    found.push({ field: 'accessKey', rule: null });
  if (!EK1_PATTERNS.timestamp.test(timestamp)) found.push({ field: 'timestamp', rule: null });
  else if (Math.abs(nowSeconds - Number(timestamp)) > EK1_WINDOW_SECONDS) found.push({ field: 'skew', rule: null });
  if (!EK1_PATTERNS.nonce.test(nonce)) found.push({ field: 'nonce', rule: null });
  try {
    canonicalTarget(target);
  } catch (error) {
    if (error instanceof InvalidTargetError) found.push({ field: 'target', rule: error.rule });
  }
  return found;
}
