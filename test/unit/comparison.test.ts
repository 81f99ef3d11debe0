import { hourFigures, regressionsOf, worstFirst } from '../../src/admin/overview/comparison.js';
import { noFigures, type RollupFigures } from '../../src/admin/rollups/rollup.js';
import { addDuration } from '../../src/decisions/duration-histogram.js';

function figures(count: number, runMs: number, failed = 0): RollupFigures {
  const made = noFigures();
  for (let n = 0; n < count; n++) {
    addDuration(made.runTime, runMs);
    addDuration(made.startDelay, 5);
  }
  made.outcomes = { SUCCEEDED: count - failed, FAILED: failed };
  return made;
}

describe('the last hour beside other hours', () => {
  it('counts for one hour of so many', () => {
    expect(hourFigures(figures(200, 100, 20), 10)).toMatchObject({ ended: 20, failed: 2 });
    expect(hourFigures(noFigures(), 1)).toEqual({ ended: 0, failed: 0, startDelayP95: null, runTimeP95: null });
  });

  it('names a group that became clearly slower, and none that did not', () => {
    const [slow, ...others] = regressionsOf('pay', figures(50, 1_000), figures(500, 200));
    expect(slow).toMatchObject({ group: 'pay', kind: 'run_time', count: 50 });
    expect(others).toEqual([]);
    expect(regressionsOf('pay', figures(50, 210), figures(500, 200))).toEqual([]);
    expect(regressionsOf('pay', figures(50, 40), figures(500, 10))).toEqual([]);
  });

  it('says nothing of few', () => {
    expect(regressionsOf('pay', figures(19, 9_000, 19), figures(500, 200))).toEqual([]);
    expect(regressionsOf('pay', figures(50, 9_000, 50), figures(99, 200))).toEqual([]);
  });

  it('names failures that became frequent, the worst first', () => {
    const found = regressionsOf('pay', figures(100, 300, 40), figures(1_000, 200, 10));
    expect(found.map(({ kind }) => kind)).toEqual(['failures']);
    expect(found[0]).toMatchObject({ now: 0.4, usual: 0.01, count: 40 });
    expect(regressionsOf('pay', figures(100, 300, 4), figures(1_000, 200, 0))).toEqual([]);
    const slow = regressionsOf('slow', figures(50, 1_000), figures(500, 200));
    expect(worstFirst([...slow, ...found]).map(({ group }) => group)).toEqual(['pay', 'slow']);
  });
});
