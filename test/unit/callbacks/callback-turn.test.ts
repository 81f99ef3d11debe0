import { holdOf, type ReceiverState, unwanted } from '../../../src/decisions/callback-turn.js';

const DUE = Date.UTC(2026, 0, 1);

describe('what comes to its turn', () => {
  it.each<[ReceiverState, string | null, string | null, string | null]>([
    // receiver, an event, a challenge, an event somebody asks for
    [undefined, null, null, null],
    [null, 'endpoint_deleted', 'endpoint_deleted', 'endpoint_deleted'],
    ['ENABLED', null, 'endpoint_proven', null],
    ['PENDING', 'endpoint_unproven', null, null],
    ['DISABLED', 'endpoint_disabled', 'endpoint_disabled', null],
  ])('is sent or given up by the state of its endpoint: %s', (receiver, event, challenge, askedFor) => {
    expect(unwanted(receiver, 'event', false)).toBe(event);
    expect(unwanted(receiver, 'challenge', false)).toBe(challenge);
    expect(unwanted(receiver, 'event', true)).toBe(askedFor);
    expect(unwanted(receiver, 'test', false)).toBe(event);
  });
});

describe('a next try', () => {
  it('is made when it is due, while nothing is in its way then', () => {
    expect(holdOf(DUE, 'event', 'ENABLED', null)).toBeNull();
    expect(holdOf(DUE, 'event', undefined, null)).toBeNull();
    expect(holdOf(DUE, 'event', 'ENABLED', DUE)).toBeNull();
    expect(holdOf(DUE, 'event', 'ENABLED', DUE - 1)).toBeNull();
  });

  it('waits for the circuit that is still open when it is due', () => {
    expect(holdOf(DUE, 'event', 'ENABLED', DUE + 1)).toEqual({ reason: 'circuit_open', until: DUE + 1 });
    expect(holdOf(DUE, 'event', undefined, DUE + 1)).toEqual({ reason: 'circuit_open', until: DUE + 1 });
  });

  it('waits for nothing where it will be given up, circuit or not', () => {
    for (const openUntil of [null, DUE + 1])
      expect(holdOf(DUE, 'event', 'DISABLED', openUntil)).toEqual({ reason: 'endpoint_disabled', until: null });
    expect(holdOf(DUE, 'challenge', 'PENDING', null)).toBeNull();
    expect(holdOf(DUE, 'event', null, null)).toEqual({ reason: 'endpoint_deleted', until: null });
  });
});
