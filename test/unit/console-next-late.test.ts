interface Waiting {
  state: string;
  late: boolean;
  dueAt: string;
}
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { untilNextLate, untilNextLook } = jest.requireActual<{
  untilNextLate: (tasks: readonly Waiting[] | undefined, now: number) => number | false;
  untilNextLook: (tasks: readonly Waiting[] | undefined, now: number, againMs: number | false) => number | false;
}>('../../console/src/features/tasks/next-late');

const NOW = Date.parse('2026-03-01T00:00:00Z');
const task = (state: string, dueInMs: number, late = false): Waiting => ({
  state,
  late,
  dueAt: new Date(NOW + dueInMs).toISOString(),
});

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

describe('a list that says why its tasks wait', () => {
  it.each<[string, Waiting[] | undefined, number | false, number | false]>([
    ['again and again while one is queued', [task('PENDING', -60_000, true), task('RUNNING', -60_000)], 5_000, 5_000],
    ['when the next becomes late, if that is sooner', [task('PENDING', -2_000)], 5_000, 3_500],
    ['as before if none is queued', [task('BLOCKED', 0), task('SUCCEEDED', -60_000)], 5_000, 5_500],
    ['never for what has ended', [task('SKIPPED', -60_000)], 5_000, false],
    ['never for a queue while nothing is to be asked', [task('PENDING', -60_000, true)], false, false],
    ['never before it is there', undefined, 5_000, false],
  ])('is asked for %s', (_, tasks, againMs, expected) => {
    expect(untilNextLook(tasks, NOW, againMs)).toBe(expected);
  });
});
