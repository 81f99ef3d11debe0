import { type Rejection, RejectionBuffer } from '../../src/auth/rejection-buffer.js';
import { expiringKeys } from '../../src/decisions/expiring-keys.js';
import { isRejection, keptText } from '../../src/decisions/rejections.js';

const rejection = (over: Partial<Rejection> = {}): Rejection => ({
  claimed: 'ak_live_00000000000000000001',
  at: 0,
  code: 'auth_failed',
  detail: '',
  method: 'GET',
  target: '/openapi/v1/me',
  address: '10.0.0.1',
  timestamp: null,
  nonce: null,
  signature: null,
  bodyDigest: null,
  bodyBytes: 0,
  ...over,
});

describe('what is kept of a refused request', () => {
  it('is printable text of bounded length without anything that looks like a secret', () => {
    expect(keptText('/a?x=sk_live_abcDEF-_1&y=whsec_abc+/=&z=wsk_q', 200)).toBe('/a?x=sk_live_***&y=whsec_***&z=wsk_***');
    expect(keptText('/a?secretKey=abc&b=1&accessToken=q', 200)).toBe('/a?secretKey=***&b=1&accessToken=***');
    expect(keptText('\u001b[31mé\r\n', 200)).toBe('?[31m???');
    expect(keptText('x'.repeat(300), 64)).toHaveLength(64);
  });

  it('is told of what is refused at the door, not of what a verified request asks for', () => {
    expect(['auth_failed', 'nonce_reused', 'ip_not_allowed', 'rate_limited'].every(isRejection)).toBe(true);
    expect(['validation_failed', 'task_not_found', 'backlog_full'].some(isRejection)).toBe(false);
  });
});

describe('refused requests that wait to be written', () => {
  it('are counted where they are alike, the newest kept', () => {
    const buffer = new RejectionBuffer();
    for (let at = 1; at <= 5; at++) buffer.add(rejection({ at, target: `/openapi/v1/tasks?cursor=${at}` }), true);
    buffer.add(rejection({ at: 6, code: 'nonce_reused' }), true);
    expect(buffer.take(50, 10).map(({ code, at, more }) => [code, at, more])).toEqual([
      ['auth_failed', 5, 4],
      ['nonce_reused', 6, 0],
    ]);
    expect(buffer.isEmpty).toBe(true);
  });

  it('are taken of each key in turn, so many at once, and the rest later', () => {
    const buffer = new RejectionBuffer();
    for (let n = 0; n < 8; n++) buffer.add(rejection({ claimed: 'flooded', target: `/openapi/v1/${n}` }), true);
    buffer.add(rejection({ claimed: 'quiet' }), true);
    expect(buffer.take(3, 0).map(({ name }) => name)).toEqual(['flooded', 'quiet', 'flooded']);
    expect(buffer.take(50, 0)).toHaveLength(6);
  });

  it('are bounded whatever is invented, and the keys that exist keep their places', () => {
    const buffer = new RejectionBuffer();
    for (let n = 0; n < 5_000; n++) {
      const address = `10.0.${n >> 8}.${n & 255}`;
      buffer.add(rejection({ claimed: `invented${n}`, address }), false);
      buffer.add(rejection({ address, target: `/openapi/v1/${n}` }), true);
    }
    const taken: ReturnType<RejectionBuffer['take']> = [];
    for (let some = buffer.take(50, 0); some.length > 0; some = buffer.take(50, 0)) taken.push(...some);
    // A hundred invented names, the nameless list and the one key, ten lines each at most.
    expect(new Set(taken.map(({ name }) => name)).size).toBe(102);
    expect(taken.length).toBeLessThanOrEqual(120);
    expect(taken.reduce((sum, { more }) => sum + more + 1, 0)).toBe(10_000);
    expect(taken.filter(({ known }) => known).reduce((sum, { more }) => sum + more + 1, 0)).toBe(5_000);
    for (let n = 0; n < 100; n++) buffer.add(rejection({ claimed: `again${n}` }), false);
    expect(new Set(buffer.take(500, 0).map(({ name }) => name)).size).toBe(100);
  });

  it('from one address for one cause are told ten times a minute, and all are counted', () => {
    const buffer = new RejectionBuffer();
    const seconds = (from: number, to: number) => {
      let rows = 0;
      let counted = 0;
      for (let second = from; second < to; second++) {
        for (let n = 0; n < 100; n++) buffer.add(rejection({ at: second * 1_000 }), true);
        for (const { more } of buffer.take(50, second * 1_000)) {
          rows += 1;
          counted += more + 1;
        }
      }
      return [rows, counted];
    };
    expect(seconds(0, 60)).toEqual([10, 1_000]);
    // The first of the next minute tells of all that was held back.
    expect(seconds(60, 61)).toEqual([1, 5_100]);
    for (let n = 0; n < 3; n++) buffer.add(rejection({ address: '10.0.0.2' }), true);
    expect(buffer.take(50, 61_000)).toMatchObject([{ address: '10.0.0.2', more: 2 }]);
  });
});

describe('keys that end soon', () => {
  const DAY = 86_400_000;
  const now = 100 * DAY;
  const key = (accessKey: string, over: object = {}) => ({
    accessKey,
    appId: 1,
    state: 'active',
    expiresAt: now + 3.5 * DAY,
    lastUsedAt: now - DAY,
    createdAt: now - 90 * DAY,
    ...over,
  });
  const named = (keys: ReturnType<typeof key>[]) => expiringKeys(keys, now).map((each) => [each.accessKey, each.daysLeft]);

  it('are spoken of two weeks before, the most urgent first', () => {
    const keys = [
      key('in-13', { appId: 1, expiresAt: now + 13.5 * DAY }),
      key('in-3', { appId: 2 }),
      key('today', { appId: null, expiresAt: now + 0.9 * DAY }),
      key('in-15', { appId: 3, expiresAt: now + 15 * DAY }),
      key('gone', { appId: 4, expiresAt: now - 1 }),
      key('disabled', { appId: 5, state: 'disabled' }),
    ];
    expect(named(keys)).toEqual([
      ['today', 0],
      ['in-3', 3],
      ['in-13', 13],
    ]);
  });

  it('are left out while they are replaced, unless they are still used', () => {
    const successor = key('new', { expiresAt: null, createdAt: now - 2 * DAY });
    expect(named([key('unused', { lastUsedAt: now - 3 * DAY }), successor])).toEqual([]);
    expect(named([key('used'), successor])).toEqual([['used', 3]]);
    expect(named([key('of-another-app', { appId: 2, lastUsedAt: null }), successor])).toEqual([['of-another-app', 3]]);
  });
});
