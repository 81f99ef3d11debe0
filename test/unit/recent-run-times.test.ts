import fc from 'fast-check';
import { RecentRunTimes } from '../../src/decisions/recent-run-times.js';

const MINUTE = 60_000;
const filled = (times: number[], at = 0) => {
  const runTimes = new RecentRunTimes();
  for (const ms of times) runTimes.add(1, 'report', ms, at);
  return runTimes;
};

describe('recent run times', () => {
  it('say nothing while too few are known, of no other group and of no other handler', () => {
    expect(filled(Array(19).fill(5_000)).p95(1, 'report', 0)).toBeNull();
    const known = filled(Array(20).fill(5_000));
    expect(known.p95(1, 'report', 0)).toBe(5_000);
    expect(known.p95(2, 'report', 0)).toBeNull();
    expect(known.p95(1, 'other', 0)).toBeNull();
  });

  it('forgive one slow run in twenty, not two', () => {
    expect(filled([...Array(19).fill(10), 9_000]).p95(1, 'report', 0)).toBe(10);
    expect(filled([...Array(18).fill(10), 9_000, 9_000]).p95(1, 'report', 0)).toBe(9_000);
  });

  it('forget what was long ago, and what sixty-four newer ones followed', () => {
    expect(filled(Array(30).fill(5_000)).p95(1, 'report', 16 * MINUTE)).toBeNull();
    expect(filled([...Array(64).fill(5_000), ...Array(64).fill(10)]).p95(1, 'report', 0)).toBe(10);
  });

  it('are one of those that were seen', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { minLength: 20, maxLength: 64 }), (times) => {
        const p95 = filled(times).p95(1, 'report', 0) as number;
        expect(times).toContain(p95);
        expect(times.filter((ms) => ms <= p95).length).toBeGreaterThanOrEqual(times.length * 0.95);
      }),
    );
  });
});
