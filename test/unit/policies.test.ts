import { resolvePolicies } from '../../src/decisions/policies.js';

const NONE = { kind: 'none' } as const;

describe('the policies of a task', () => {
  it.each([
    ['the system', {}, {}, { priority: 5, timeoutMs: 60_000, options: {} }],
    [
      'the group before the system',
      {},
      { priority: 8, timeoutMs: 0, retry: NONE, repeatable: false, crashRetries: 0 },
      { priority: 8, timeoutMs: 0, options: { retry: NONE, repeatable: false, crashRetries: 0 } },
    ],
    [
      'the job before the group',
      { priority: 1, repeatable: true, crashRetries: 9 },
      { priority: 8, repeatable: false, crashRetries: 0 },
      { priority: 1, timeoutMs: 60_000, options: { crashRetries: 9 } },
    ],
    [
      'a routing that is stated',
      { routing: 'random' as const },
      {},
      { priority: 5, timeoutMs: 60_000, options: { routing: 'random' } },
    ],
  ])('are those of %s', (_, stated, group, expected) => {
    expect(resolvePolicies(stated, group)).toEqual(expected);
  });
});
