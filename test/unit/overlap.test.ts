import { admission, OVERLAPS, superseded, turns, WAITING_LIMIT } from '../../src/decisions/overlap.js';

const task = (id: string, waiting = false) => ({ id, waiting });

describe('overlap', () => {
  it('starts the first task whatever the rule', () => {
    for (const overlap of OVERLAPS) expect(admission(overlap, 1, { going: 0, waiting: 0 })).toBe('start');
  });

  it.each([
    ['skip', 1, 0, 'skip'],
    ['allow', 2, 0, 'start'],
    ['allow', 3, 0, 'skip'],
    ['queue', 1, 5, 'wait'],
    ['queue', 0, 1, 'wait'],
    ['queue', 1, WAITING_LIMIT, 'skip'],
    ['replace', 1, 1, 'wait'],
  ] as const)('%s with %i going and %i waiting: %s', (overlap, going, waiting, becomes) => {
    expect(admission(overlap, 3, { going, waiting })).toBe(becomes);
  });

  it('replaces all but the newest once that waits, and only by that rule', () => {
    expect(superseded('replace', [task('a'), task('b', true), task('c', true)])).toEqual(['a', 'b']);
    expect(superseded('replace', [task('a')])).toEqual([]);
    expect(superseded('queue', [task('a'), task('b', true)])).toEqual([]);
  });

  it.each([
    ['queue', 0, 2, 1],
    ['queue', 1, 1, 0],
    ['queue', 2, 1, 0],
    ['skip', 0, 5, 1],
    ['replace', 0, 1, 1],
    ['allow', 1, 3, 2],
    ['allow', 1, 1, 1],
    ['allow', 3, 9, 0],
  ] as const)('%s with %i going and %i waiting gives %i their turn', (overlap, going, waiting, expected) => {
    expect(turns(overlap, 3, { going, waiting })).toBe(expected);
  });
});
