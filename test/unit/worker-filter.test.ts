import { laneOf } from '../../src/decisions/partitioning.js';
import { filterOf, filterText, meetsFilter } from '../../src/decisions/worker-filter.js';

describe('a worker filter', () => {
  it('has one text for all ways to state the same, and none for no filter', () => {
    expect(filterText({ workerTags: ['b', 'a', 'b'] })).toBe(filterText({ workerTags: ['a', 'b'] }));
    expect(filterText({})).toBe('');
    expect(filterText({ workerTags: [] })).toBe('');
    expect(filterOf(filterText({ workerTags: ['a'], workerZone: 'z' }))).toEqual({ workerTags: ['a'], workerZone: 'z' });
  });

  it('gives tasks a lane of their own, and those without one the lane they always had', () => {
    expect(laneOf('noop', '')).toBe(laneOf('noop'));
    expect(laneOf('noop', filterText({ workerTags: ['gpu'] }))).not.toBe(laneOf('noop'));
  });

  it.each([
    [{}, {}, true],
    [{ tags: ['gpu', 'big'] }, { workerTags: ['gpu'] }, true],
    [{ tags: ['gpu'] }, { workerTags: ['gpu', 'big'] }, false],
    [{}, { workerTags: ['gpu'] }, false],
    [{ zone: 'a' }, { workerZone: 'a' }, true],
    [{ zone: 'b' }, { workerZone: 'a' }, false],
    [{ zone: 'a', tags: ['x'] }, { workerZone: 'a', workerTags: ['x'] }, true],
  ])('is met by %j asked for %j: %s', (worker, filter, met) => {
    expect(meetsFilter(worker, filter)).toBe(met);
  });
});
