import fc from 'fast-check';
import { type StartRun, startRuns } from '../../src/decisions/start-runs.js';

interface Waiting {
  /** The first letter is its key. */
  name: string;
}
const tasks = (...names: string[]): Waiting[] => names.map((name) => ({ name }));
const keyOf = ({ name }: Waiting) => name.slice(0, 1);
const shown = (runs: StartRun<Waiting>[]) => runs.map((run) => run.tasks.map(({ name }) => name).join(' '));

describe('runs of tasks that are given workers together', () => {
  it('keep the order in which tasks must start, where there may not be room for all', () => {
    const waiting = tasks('a1', 'a2', 'b1', 'a3', 'c1', 'c2', 'a4');
    expect(shown(startRuns(waiting, keyOf, () => 6))).toEqual(['a1 a2', 'b1', 'a3', 'c1 c2', 'a4']);
    expect(shown(startRuns(waiting, keyOf, (key) => (key === 'c' ? 6 : 100)))).toHaveLength(5);
  });

  it('are one of each key where each has room for all of them', () => {
    const waiting = tasks('a1', 'b1', 'a2', 'b2');
    expect(shown(startRuns(waiting, keyOf, () => 4))).toEqual(['a1 a2', 'b1 b2']);
  });

  it('ask for no room where it decides nothing', () => {
    const room = jest.fn(() => 0);
    startRuns(tasks('a1', 'a2', 'b1'), keyOf, room);
    expect(room).not.toHaveBeenCalled();
  });

  it('leave out nobody who comes before one that is taken, however many places there are', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(names, fc.nat(30), (keys, places) => {
        const waiting = keys.map((key, i) => ({ name: `${key}${i}` }));
        const taken = startRuns(waiting, keyOf, () => places)
          .flatMap((run) => run.tasks)
          .slice(0, places);
        expect(new Set(taken)).toEqual(new Set(waiting.slice(0, places)));
      }),
    );
  });
});
