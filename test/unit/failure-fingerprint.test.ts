import { failureFingerprint } from '../../src/decisions/failure-fingerprint.js';

describe('the fingerprint of a failure', () => {
  it.each([
    ['order 17 not found', 'order 4711 not found', 'order # not found'],
    ['connect to 10.1.2.3:3306 refused', 'connect to 10.9.9.9:3307 refused', 'connect to #:# refused'],
    ['task_01M8PKN6D7FQT9QCT0VY3FNWB6 gone', 'task_01M8PKN6D7FQT9QCT0VY3FNWB7 gone', '# gone'],
    ['x 550e8400-e29b-41d4-a716-446655440000\nat a', 'x 550e8400-e29b-41d4-a716-446655440001\nat b', 'x #'],
    ['订单 7 失败', '订单 8 失败', '订单 # 失败'],
  ])('is the same for %s and %s', (one, other, common) => {
    expect([failureFingerprint(one), failureFingerprint(other)]).toEqual([common, common]);
  });

  it('tells causes apart, and is short however long the message is', () => {
    expect(failureFingerprint('connection refused')).not.toBe(failureFingerprint('connection reset'));
    expect(failureFingerprint('a decade of cafe')).toBe('a decade of cafe');
    expect(failureFingerprint('x'.repeat(1_000_000))).toHaveLength(200);
    expect(failureFingerprint('')).toBe('');
  });
});
