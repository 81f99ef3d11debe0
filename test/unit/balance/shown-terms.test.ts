import type { Candidate } from '../../../src/decisions/balance/candidate.js';
import { loadTerms } from '../../../src/decisions/balance/equal-cost.js';
import { shownTerms } from '../../../src/decisions/balance/shown-terms.js';

const terms = (more: Partial<Candidate>, meanSlots = 8) =>
  loadTerms(
    { active: 2, queued: 0, avgCostMs: 2_240, cpuIdlePercent: 70.6, slots: 8, warmth: 1, ...more } as Candidate,
    meanSlots,
  );
const tenths = (points: number) => Math.round(points * 10) / 10;

describe('a load as it is shown', () => {
  it('is the sum of its terms as they are shown, not of what they were rounded from', () => {
    const told = terms({});
    expect(told.load.toFixed(1)).toBe('25.2');
    expect(shownTerms(told)).toMatchObject({ attemptPoints: 10, attempts: 20, cost: 2.2, cpu: 2.9, load: 25.1 });
  });

  it.each([
    ['warming up', { warmth: 0.29, active: 3 }],
    ['with odd slots', { slots: 7, active: 5, queued: 2 }],
    ['with very many attempts', { slots: 300, active: 1_234 }],
    ['with none', { slots: 3, active: 0 }],
  ])('adds up for a worker %s: %#', (_, candidate) => {
    const exact = terms(candidate);
    const { active, queued, attemptPoints, attempts, cost, cpu, load } = shownTerms(exact);
    expect(tenths((active + queued) * attemptPoints)).toBe(attempts);
    expect(tenths(attempts + cost + cpu)).toBe(load);
    expect(Math.abs(load - exact.load)).toBeLessThanOrEqual(0.15 + 1e-9);
  });
});
