import { untilNextLate } from '../../console/src/features/tasks/next-late.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const task = (state: string, dueInMs: number, late = false) =>
  ({ state, late, dueAt: new Date(NOW + dueInMs).toISOString() }) as Parameters<typeof untilNextLate>[0] extends
    | readonly (infer T)[]
    | undefined
    ? T
    : never;

describe('a list that shows what may become late', () => {
  it('is asked for again when the first of its tasks does', () => {
    expect(untilNextLate([task('SCHEDULED', 60_000), task('PENDING', 10_000), task('RETRYING', 90_000)], NOW)).toBe(15_500);
  });

  it('is not asked for where nothing waits, or all that waits is late', () => {
    expect(untilNextLate(undefined, NOW)).toBe(false);
    expect(untilNextLate([], NOW)).toBe(false);
    expect(untilNextLate([task('RUNNING', -10_000), task('SUCCEEDED', -10_000), task('PENDING', -60_000, true)], NOW)).toBe(
      false,
    );
  });

  it('is asked for now and then, not at once again and again, where the clocks differ, and within an hour whatever waits', () => {
    expect(untilNextLate([task('PENDING', -3_600_000)], NOW)).toBe(2_000);
    expect(untilNextLate([task('SCHEDULED', 90 * 86_400_000)], NOW)).toBe(3_600_000);
  });
});
