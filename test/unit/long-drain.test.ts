import { drainsForLong, LONG_DRAIN_MS } from '../../src/decisions/long-drain.js';

const AT = 1_800_000_000_000;

describe('a drain that is long', () => {
  it.each<[string, Parameters<typeof drainsForLong>[0], number, boolean]>([
    ['has just begun', { drain: { at: AT, deadlineAt: null }, drainingForMs: 0 }, 1_000, false],
    ['goes on within several minutes', { drain: { at: AT, deadlineAt: null }, drainingForMs: 0 }, LONG_DRAIN_MS - 1, false],
    ['goes on after them', { drain: { at: AT, deadlineAt: null }, drainingForMs: 0 }, LONG_DRAIN_MS, true],
    ['is before its deadline', { drain: { at: AT, deadlineAt: AT + 3_600_000 }, drainingForMs: 3_599_000 }, 3_599_999, false],
    ['is past its deadline', { drain: { at: AT, deadlineAt: AT + 60_000 }, drainingForMs: 0 }, 60_000, true],
    ['was begun by the worker itself just now', { drain: null, drainingForMs: 2_000 }, 0, false],
    ['was begun by the worker itself long ago', { drain: null, drainingForMs: LONG_DRAIN_MS }, 0, true],
    ['is none', { drain: null, drainingForMs: null }, 0, false],
  ])('%s', (_, facts, after, long) => expect(drainsForLong(facts, AT + after)).toBe(long));
});
