import { isIP } from 'node:net';
import type { AddressClassifier } from './address-class.js';

export const URL_REFUSALS = [
  'invalid_url',
  'scheme_not_allowed',
  'userinfo_not_allowed',
  'fragment_not_allowed',
  'ip_literal_not_allowed',
  'host_not_canonical',
  'host_not_allowed',
  'port_not_allowed',
  'host_not_verified',
] as const;
export type UrlRefusal = (typeof URL_REFUSALS)[number];
export type UrlVerdict = { ok: true; url: URL } | { ok: false; refusal: UrlRefusal };

/** What an operator decided about the targets of callbacks. The default of everything is the strict policy. */
export interface UrlPolicy {
  /** Plain http is allowed as well. */
  allowHttp: boolean;
  /** Besides 443 (and 80 where http is allowed). */
  allowsPort: (port: number) => boolean;
  /** Domains of this centre; they and everything below them are refused. */
  ownDomains: readonly string[];
  /** Classes of addresses: what is `opened` may be written as an address, and then internal names may be used too. */
  classify: AddressClassifier;
  /** Some network is opened. */
  opensNetworks: boolean;
  /** `host:port` of development targets that may be http and loopback. */
  devTargets: readonly string[];
}

const MAX_LENGTH = 2048;
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/;
const SHAPE = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Never public, whatever a resolver says. */
const SPECIAL_USE = new Set('localhost local localdomain test example invalid onion arpa svc cluster alt'.split(' '));
/** Names of private networks: of use only where the operator opened one. */
const INTERNAL = new Set('internal intranet lan home corp private'.split(' '));

/**
 * The part of the check that needs no network: the same at registration, at submit and at each delivery. Looks at the text first,
 * since a URL parser repairs what it is given: what was typed must be what the parser understood.
 */
export function checkCallbackUrl(text: unknown, policy: UrlPolicy): UrlVerdict {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !PRINTABLE.test(text)) return refused('invalid_url');
  const [, scheme = '', authority = ''] = SHAPE.exec(text) ?? [];
  if (scheme === '') return refused('invalid_url');
  const protocol = `${scheme.toLowerCase()}:`;
  if (protocol !== 'https:' && protocol !== 'http:') return refused('scheme_not_allowed');
  if (!URL.canParse(text)) return refused('invalid_url');
  const url = new URL(text);
  const port = portOf(url);
  const isDevTarget = policy.devTargets.includes(`${url.hostname}:${port}`);
  if (protocol === 'http:' && !policy.allowHttp && !isDevTarget) return refused('scheme_not_allowed');
  if (authority.includes('@')) return refused('userinfo_not_allowed');
  if (text.includes('#')) return refused('fragment_not_allowed');
  const host = hostRefusal(url, policy, isDevTarget);
  if (host === 'ip_literal_not_allowed') return refused(host);
  if (typedHost(authority, protocol) !== url.host) return refused('host_not_canonical');
  if (host) return refused(host);
  const isDefault = port === 443 || (port === 80 && protocol === 'http:');
  if (!isDefault && !isDevTarget && !policy.allowsPort(port)) return refused('port_not_allowed');
  return { ok: true, url };
}

/** The address a URL names directly, without brackets; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

/** `host:port` with the port always stated: what slots and circuits of ad-hoc targets are counted by. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;

/** The path as most servers read it, however it is spelled: no needless escapes, no empty segments, no slash at the end. */
export const plainPath = ({ pathname }: URL): string =>
  pathname
    .replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
    })
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1');

/** The host is one of the app's, or below one that was stated as `*.domain`. */
export const hostIsVerified = (hostname: string, verified: readonly string[]): boolean =>
  verified.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : host === hostname));

const refused = (refusal: UrlRefusal): UrlVerdict => ({ ok: false, refusal });
const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

function typedHost(authority: string, protocol: string): string {
  const typed = authority.toLowerCase();
  const implied = protocol === 'https:' ? ':443' : ':80';
  return typed.endsWith(implied) ? typed.slice(0, -implied.length) : typed;
}

function hostRefusal({ hostname }: URL, policy: UrlPolicy, isDevTarget: boolean): UrlRefusal | null {
  const address = literalAddress(hostname) ?? literalAddress(hostname.replace(/\.$/, ''));
  if (address !== undefined) return isDevTarget || policy.classify(address) === 'opened' ? null : 'ip_literal_not_allowed';
  if (isDevTarget) return null;
  if (hostname === 'localhost') return policy.classify('127.0.0.1') === 'opened' ? null : 'host_not_allowed';
  const labels = hostname.split('.');
  const last = labels.at(-1) ?? '';
  const isName = labels.length >= 2 && hostname.length <= 253 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(last);
  if (!isName || SPECIAL_USE.has(last)) return 'host_not_allowed';
  if (INTERNAL.has(last) && !policy.opensNetworks) return 'host_not_allowed';
  const isOwn = policy.ownDomains.some((own) => hostname === own || hostname.endsWith(`.${own}`));
  return isOwn ? 'host_not_allowed' : null;
}
