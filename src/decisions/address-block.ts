import { isIP } from 'node:net';

/**
 * Whom an address is counted for: an IPv4 address is a caller; of IPv6 a caller usually has the whole /64, so addresses of one /64
 * are one. A dual-stack socket's `::ffff:a.b.c.d` is the IPv4 address. Anything else stands for itself.
 */
export function addressBlock(ip: string): string {
  const bare = ip.split('%', 1)[0] as string;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped) return mapped;
  if (isIP(bare) !== 6) return bare;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    const width = rest.length + (rest.at(-1)?.includes('.') ? 1 : 0);
    groups.push(...Array<string>(Math.max(0, 8 - groups.length - width)).fill('0'), ...rest);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
