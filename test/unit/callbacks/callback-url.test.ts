import fc from 'fast-check';
import { addressClassifier } from '../../../src/decisions/address-class.js';
import { checkCallbackUrl, hostIsVerified, type UrlPolicy } from '../../../src/decisions/callback-url.js';
import vectors from '../../vectors/ssrf_vectors.json';

const STRICT: UrlPolicy = {
  allowHttp: false,
  allowsPort: () => false,
  ownDomains: ['ourproduct.example.net'],
  classify: addressClassifier(),
  opensNetworks: false,
  devTargets: [],
};
const LOOPBACK: UrlPolicy = {
  ...STRICT,
  allowHttp: true,
  allowsPort: () => true,
  classify: addressClassifier(['127.0.0.0/8']),
  opensNetworks: true,
};
const told = (url: unknown, policy = STRICT) => {
  const verdict = checkCallbackUrl(url, policy);
  return verdict.ok ? 'ok' : verdict.refusal;
};

describe('the static check of a callback URL', () => {
  it.each(vectors.static)('says $expect of $url ($note)', ({ url, expect: expected }) => {
    expect(told(url)).toBe(expected);
  });

  it('refuses what is no text, too long, or holds anything invisible', () => {
    for (const url of [
      null,
      5,
      {},
      `https://a.partner.com/${'x'.repeat(2048)}`,
      'https://a.partner.com/\n',
      'https://a.partner.com/\0',
    ])
      expect(told(url)).toBe('invalid_url');
  });

  it('allows the networks, ports and the scheme an operator opened, and nothing next to them', () => {
    expect(told('http://127.0.0.1:8080/hook', LOOPBACK)).toBe('ok');
    expect(told('http://localhost:8080/hook', LOOPBACK)).toBe('ok');
    expect(told('http://hooks.corp/x', LOOPBACK)).toBe('ok');
    expect(told('http://2130706433:8080/', LOOPBACK)).toBe('host_not_canonical');
    expect(told('http://10.0.0.1/', LOOPBACK)).toBe('ip_literal_not_allowed');
    expect(told('http://169.254.169.254/', { ...LOOPBACK, classify: addressClassifier(['0.0.0.0/0']) })).toBe(
      'ip_literal_not_allowed',
    );
  });

  it('allows a development target exactly', () => {
    const policy = { ...STRICT, devTargets: ['localhost:9000'] };
    expect(told('http://localhost:9000/x', policy)).toBe('ok');
    expect(told('http://localhost:9001/x', policy)).toBe('scheme_not_allowed');
    expect(told('https://localhost:9001/x', policy)).toBe('host_not_allowed');
  });

  it('never lets through a URL whose parsed host is not the one that was typed', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,40}$/), (rest) => {
        const verdict = checkCallbackUrl(`https://${rest}`, STRICT);
        if (!verdict.ok) return;
        expect(rest.toLowerCase().startsWith(verdict.url.hostname)).toBe(true);
        expect(verdict.url.hostname).toMatch(/^[a-z0-9.-]+\.[a-z0-9-]*[a-z][a-z0-9-]*$/);
      }),
    );
  });

  it('knows the hosts of an app, exactly or below a domain', () => {
    expect(hostIsVerified('a.partner.com', ['a.partner.com'])).toBe(true);
    expect(hostIsVerified('b.partner.com', ['a.partner.com', '*.other.com'])).toBe(false);
    expect(hostIsVerified('b.partner.com', ['*.partner.com'])).toBe(true);
    expect(hostIsVerified('evilpartner.com', ['*.partner.com'])).toBe(false);
  });
});

describe('address classes', () => {
  const classify = addressClassifier();
  it.each(vectors.dns)('says $expect of $host ($answers)', ({ answers, expect: expected }) => {
    const all = answers.every((address) => classify(address) === 'public');
    expect(all ? 'ok' : 'address_not_allowed').toBe(expected);
  });

  it.each(
    '10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 169.254.169.254 127.0.0.1 0.0.0.0 224.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1 168.63.129.16 :: ::1 ::7f00:1 fc00::1 fe80::1 ff02::1 64:ff9b::a00:1 2001::1 2001:db8::1 2002:a00:1:: 4000::1 ::ffff:10.0.0.1 not-an-address'.split(
      ' ',
    ),
  )('%s is not public', (address) => {
    expect(classify(address)).toBe('refused');
  });

  it('opens what the operator opens, but never link-local or metadata addresses', () => {
    const opened = addressClassifier(['0.0.0.0/0', '::/0']);
    expect(opened('10.1.2.3')).toBe('opened');
    expect(opened('8.8.8.8')).toBe('public');
    for (const address of ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fe80::1', '0.0.0.0', '::'])
      expect(opened(address)).toBe('refused');
    // Amazon's, Google's and Oracle's over IPv6, and 169.254.169.254 as gateways write it.
    for (const address of ['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'])
      expect([address, opened(address)]).toEqual([address, 'refused']);
    for (const address of ['::ffff:a9fe:a9fe', '::a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'])
      expect([address, opened(address)]).toEqual([address, 'refused']);
    expect([opened('fd20:ce::1'), opened('fd00:c1::1'), opened('64:ff9b::a00:1')]).toEqual(['opened', 'opened', 'opened']);
    for (const network of ['10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/8/8'])
      expect(() => addressClassifier([network])).toThrow(TypeError);
  });
});
