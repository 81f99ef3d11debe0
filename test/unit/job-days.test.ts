import { dayIndex, daysAround } from '../../src/admin/jobs/job-days.js';

const at = (text: string) => Date.parse(text);
const hours = ({ from, to }: { from: number; to: number }) => (to - from) / 3_600_000;

describe('the days around an instant', () => {
  it('are those of the zone, without a gap or an overlap', () => {
    const days = daysAround('Asia/Shanghai', at('2026-03-01T16:00:00Z'), 2, 1);
    expect(days.map(({ date }) => date)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']);
    expect(days.slice(1).map(({ from }) => from)).toEqual(days.slice(0, -1).map(({ to }) => to));
    expect(days[2]?.from).toBe(at('2026-03-01T16:00:00Z'));
  });

  it.each([
    ['America/New_York', '2026-03-08T12:00:00Z', '2026-03-08', 23],
    ['America/New_York', '2026-11-01T12:00:00Z', '2026-11-01', 25],
    ['America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06', 23],
    ['Australia/Lord_Howe', '2026-10-03T20:00:00Z', '2026-10-04', 23.5],
  ])('are as long as the clocks of %s make them', (zone, now, date, long) => {
    const [day] = daysAround(zone, at(now), 0, 0);
    expect(day).toMatchObject({ date });
    expect(day && hours(day)).toBe(long);
  });

  it('tell which of them an instant is in', () => {
    const days = daysAround('UTC', at('2026-03-02T05:00:00Z'), 1, 1);
    expect(dayIndex(days, at('2026-03-01T00:00:00Z'))).toBe(0);
    expect(dayIndex(days, at('2026-03-01T23:59:59.999Z'))).toBe(0);
    expect(dayIndex(days, at('2026-03-03T23:00:00Z'))).toBe(2);
    expect(dayIndex(days, at('2026-02-28T23:59:59.999Z'))).toBe(-1);
    expect(dayIndex(days, at('2026-03-04T00:00:00Z'))).toBe(-1);
  });
});
