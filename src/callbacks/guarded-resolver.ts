import { promises as dns } from 'node:dns';

const RESOLVE_MS = 2_000;
const MOST_ANSWERS = 16;

/** Addresses of a name, A and AAAA together; empty if it has none. */
export type ResolveName = (hostname: string) => Promise<string[]>;

/**
 * Asks the DNS servers of this machine (or those stated, `address:port`) directly: no hosts file, no search domains, so that a short
 * name of an inner network does not resolve by accident. Rejects when no server answers, or with more answers than are looked at.
 */
export function dnsResolver(servers?: readonly string[]): ResolveName {
  const resolver = new dns.Resolver({ timeout: RESOLVE_MS, tries: 1 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const answers = [...addressesOf(four), ...addressesOf(six)];
    if (answers.length === 0 && four.status === 'rejected') throw four.reason;
    if (answers.length > MOST_ANSWERS) throw new Error(`more than ${MOST_ANSWERS} addresses`);
    return answers;
  };
}

/** One family without an answer is usual; a connection only ever goes to an address that was seen. */
const addressesOf = (settled: PromiseSettledResult<string[]>): string[] => (settled.status === 'fulfilled' ? settled.value : []);
