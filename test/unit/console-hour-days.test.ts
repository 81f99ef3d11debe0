type Language = 'zh-CN' | 'en';
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { dayText, daysOf } = jest.requireActual<{
  dayText: (at: number, zone: string, language: Language) => string;
  daysOf: (start: number, hours: number, zone: string) => { hour: number; length: number }[];
}>('../../console/src/features/calendar/hour-days');
const { instantText } = jest.requireActual<{ instantText: (at: number, zone: string) => string }>('../../console/src/lib/times');

describe('the days of the calendar', () => {
  it('have the hours of their dates in the zone that is shown', () => {
    const start = Date.parse('2026-12-01T09:00:00Z');
    expect(daysOf(start, 168, 'Asia/Shanghai').map(({ length }) => length)).toEqual([7, 24, 24, 24, 24, 24, 24, 17]);
    expect(daysOf(start, 24, 'UTC')).toEqual([
      { hour: 0, length: 15 },
      { hour: 15, length: 9 },
    ]);
  });

  it('are longer and shorter where clocks change', () => {
    const day = (midnight: string) => daysOf(Date.parse(midnight), 30, 'America/New_York')[0]?.length;
    expect([day('2027-03-14T05:00:00Z'), day('2027-11-07T04:00:00Z')]).toEqual([23, 25]);
  });

  it('are named by date and weekday', () => {
    const at = Date.parse('2026-12-01T18:00:00Z');
    const date = instantText(at, 'Asia/Shanghai').slice(0, -9);
    expect(dayText(at, 'Asia/Shanghai', 'zh-CN')).toBe(`${date} 周三`);
    expect(dayText(at, 'Asia/Shanghai', 'en')).toBe(`${date} Wed`);
    expect(date).toMatch(/12-02$/);
  });
});
