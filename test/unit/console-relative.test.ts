/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { relativeText } = jest.requireActual<{
  relativeText: (at: number, now: number, language: 'zh-CN' | 'en', zone: string | null) => string;
}>('../../console/src/lib/times');

const at = Date.parse;
const NOW = at('2026-12-01T06:10:00Z'); // 14:10 in Shanghai, 01:10 in New York

describe('how far away an instant is', () => {
  it.each([
    ['2026-12-01T06:10:30Z', 'in 30 seconds', '30 秒后'],
    ['2026-12-01T18:30:00Z', 'in 12 hours', '12 小时后'],
    ['2026-12-02T05:00:00Z', 'in 22 hours', '22 小时后'],
    ['2026-12-02T10:00:00Z', 'tomorrow', '明天'],
    ['2026-12-02T18:30:00Z', 'in 2 days', '后天'],
    ['2026-12-06T18:30:00Z', 'in 6 days', '6 天后'],
    ['2028-02-28T16:00:00Z', 'in 455 days', '455 天后'],
    ['2032-02-28T16:00:00Z', 'in 5 years', '5 年后'],
    ['2028-12-20T06:10:00Z', 'in 2 years', '2 年后'],
    ['2022-12-02T06:10:00Z', '3 years ago', '3 年前'],
    ['2026-11-30T01:00:00Z', 'yesterday', '昨天'],
    ['2026-11-29T15:00:00Z', '2 days ago', '前天'],
  ])('%s is told by the dates of Shanghai', (instant, english, chinese) => {
    expect(relativeText(at(instant), NOW, 'en', 'Asia/Shanghai')).toBe(english);
    expect(relativeText(at(instant), NOW, 'zh-CN', 'Asia/Shanghai')).toBe(chinese);
  });

  it('is told by the dates of the zone it stands in', () => {
    const fire = at('2026-12-02T18:30:00Z');
    expect(relativeText(fire, NOW, 'en', 'Asia/Shanghai')).toBe('in 2 days');
    expect(relativeText(fire, NOW, 'en', 'America/New_York')).toBe('tomorrow');
  });
});
