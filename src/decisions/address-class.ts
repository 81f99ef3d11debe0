import { BlockList, isIP } from 'node:net';

/**
 * Where a call on behalf of somebody else may go: `public`, `opened` by the operator, or `refused`. By default everything is refused
 * that is not certainly public. Link-local and cloud metadata addresses stay refused whatever is opened.
 */
export type AddressClass = 'public' | 'opened' | 'refused';
export type AddressClassifier = (address: string) => AddressClass;

/** Throws TypeError for something that is not a CIDR. */
export function addressClassifier(openNetworks: readonly string[] = []): AddressClassifier {
  const opened = networkList(openNetworks);
  return (address) => {
    const family = isIP(address);
    if (family === 0) return 'refused';
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (NEVER.check(address, type)) return 'refused';
    if (isPublic(address, family)) return 'public';
    return opened.check(address, type) ? 'opened' : 'refused';
  };
}

/**
 * Whether nobody may have orders sent there, although workers are mostly on private and loopback addresses: unspecified, link-local
 * (cloud metadata), multicast and broadcast. A v4-mapped v6 address counts as the address it maps.
 */
export function isNoWorkerAddress(address: string): boolean {
  const type = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return NEVER.check(address, type) || MANY.check(address, type);
}

/** A v4-mapped v6 address is no v6 address of the public range, so it is never public, whatever it maps. */
const isPublic = (address: string, family: number): boolean =>
  family === 4 ? !SPECIAL_4.check(address, 'ipv4') : GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6');

/** Throws TypeError for something that is not a CIDR. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = '', ...rest] = network.split('/');
    const family = isIP(address);
    const isPrefix = /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
    if (family === 0 || !isPrefix || rest.length > 0) throw new TypeError(`not a network like 10.0.0.0/8: ${network}`);
    list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const NEVER = networkList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '::/128',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  // 169.254.0.0/16 in v6 addresses that gateways turn into the v4 address they hold.
  '::a9fe:0/112',
  '64:ff9b::a9fe:0/112',
  '2002:a9fe::/32',
]);
/** Multicast, reserved and broadcast. */
const MANY = networkList(['224.0.0.0/3', 'ff00::/8']);
/** IANA's special-purpose registry, and the virtual address of Azure's fabric. */
const SPECIAL_4 = networkList(
  [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24',
    '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
    '168.63.129.16/32',
  ].flatMap((line) => line.split(' ')),
);
const GLOBAL_6 = networkList(['2000::/3']);
const SPECIAL_6 = networkList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']);
