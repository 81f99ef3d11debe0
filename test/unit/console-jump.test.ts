import { jumpTo } from '../../console/src/features/tasks/jump.js';
import { firstIdAt } from '../../console/src/lib/ids.js';
import { instantOfWallTime } from '../../console/src/lib/wall-time.js';
import * as server from '../../src/platform/ids.js';

const HOUR = 3_600_000;

describe('a jump to an instant', () => {
  it('goes by the ids the server would make', () => {
    for (const at of [0, 1, Date.parse('2026-03-08T07:00:00.123Z'), 2 ** 47])
      expect(firstIdAt('task', at)).toBe(server.firstIdAt('task', at));
  });

  it('begins with what was made at the instant, whichever way the list goes', () => {
    const at = Date.now() - HOUR;
    expect(jumpTo({}, at)).toEqual({ after: server.firstIdAt('task', at + 1) });
    expect(jumpTo({ sort: 'id' }, at)).toEqual({ after: server.firstIdAt('task', at) });
  });

  it('makes the window as wide as it must, and gives up an end that leaves the instant out', () => {
    expect(jumpTo({}, Date.now() - 50 * HOUR).since).toBe('7d');
    expect(jumpTo({ since: '15m' }, Date.now() - HOUR / 2).since).toBe('1h');
    expect(jumpTo({ since: '30d' }, Date.now() - HOUR).since).toBe('30d');
    expect(jumpTo({}, 0).since).toBe('all');
    const [from, to] = ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];
    expect(jumpTo({ from, to }, Date.parse('2026-01-02T12:00:00Z'))).toMatchObject({ from, to });
    expect(jumpTo({ from, to }, Date.parse('2026-01-01T12:00:00Z'))).toMatchObject({ from: undefined, to });
    expect(jumpTo({ from, to }, Date.parse(to))).toMatchObject({ from, to: undefined });
  });
});

describe('what the clocks of a zone show', () => {
  const inNewYork = (text: string) => new Date(instantOfWallTime(text, 'America/New_York') as number).toISOString();

  it('is an instant, also beside the hours they skip and show twice', () => {
    expect(inNewYork('2026-01-15T12:00')).toBe('2026-01-15T17:00:00.000Z');
    expect(inNewYork('2026-07-15T12:00')).toBe('2026-07-15T16:00:00.000Z');
    expect(inNewYork('2026-03-08T01:59')).toBe('2026-03-08T06:59:00.000Z');
    expect(inNewYork('2026-03-08T02:30')).toBe('2026-03-08T07:30:00.000Z');
    expect(inNewYork('2026-03-08T03:00')).toBe('2026-03-08T07:00:00.000Z');
    expect(inNewYork('2026-11-01T01:30')).toBe('2026-11-01T05:30:00.000Z');
    expect(inNewYork('2026-11-01T02:00')).toBe('2026-11-01T07:00:00.000Z');
    expect(instantOfWallTime('', 'UTC')).toBeNull();
  });
});
