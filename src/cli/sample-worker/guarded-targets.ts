import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** The handler may not connect there. Does not say what the name resolves to. */
export class TargetRefused extends Error {
  constructor() {
    super('the target address is not allowed');
    this.name = 'TargetRefused';
  }
}

/**
 * Where the `http` handler may connect: public addresses, and the networks the operator opened (`127.0.0.0/8`, `10.20.0.0/16`).
 * Checked on the address the socket uses, when it connects, so a name that changes its address gains nothing. If one of a name's
 * addresses is not allowed, none is. Link-local and cloud metadata addresses stay refused whatever is opened.
 */
export class GuardedTargets {
  private readonly opened: BlockList;

  /** Throws TypeError for something that is not a CIDR. */
  constructor(openNetworks: string[] = []) {
    this.opened = blockList(openNetworks);
  }

  allows(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (NEVER.check(address, type)) return false;
    if (this.opened.check(address, type)) return true;
    return family === 4
      ? !SPECIAL_4.check(address, 'ipv4')
      : GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6');
  }

  /** An address in the URL itself is never looked up, so `lookup` does not see it. */
  checkLiteral(hostname: string): void {
    const bare = hostname.replace(/^\[|\]$/g, '');
    if (isIP(bare) !== 0 && !this.allows(bare)) throw new TargetRefused();
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => this.allows(address)))
        return callback(new TargetRefused(), '', 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function blockList(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    const family = isIP(address);
    if (family === 0 || !/^\d{1,3}$/.test(prefix)) throw new TypeError(`not a network like 10.0.0.0/8: ${network}`);
    list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const NEVER = blockList(['169.254.0.0/16', '168.63.129.16/32', 'fe80::/10', 'fd00:ec2::254/128', '0.0.0.0/8', '::/128']);
/** IANA's special-purpose registry. */
const SPECIAL_4 = blockList(
  [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24',
    '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  ].flatMap((line) => line.split(' ')),
);
const GLOBAL_6 = blockList(['2000::/3']);
const SPECIAL_6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']);
