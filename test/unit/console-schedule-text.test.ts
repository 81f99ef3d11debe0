type Language = 'zh-CN' | 'en';
type Translate = (key: string, values?: object) => string;
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { scheduleText } = jest.requireActual<{
  scheduleText: (schedule: object, zone: string, t: Translate, language: Language, usual?: string) => string;
}>('../../console/src/lib/schedule-text');
const { translate } = jest.requireActual<{ translate: (language: Language, key: string, values?: object) => string }>(
  '../../console/src/lib/translate',
);

const ZONE = 'Asia/Shanghai';
const said = (schedule: object, language: Language, usual?: string) =>
  scheduleText(schedule, ZONE, (key, values) => translate(language, key, values), language, usual);

describe('a schedule as a sentence', () => {
  it.each([
    [{ kind: 'cron', expression: '0 9 * * MON' }, '每周一 09:00（Asia/Shanghai）', 'At 09:00, every Monday (Asia/Shanghai)'],
    [{ kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }, '每天 09:00（UTC）', 'At 09:00, every day (UTC)'],
    [{ kind: 'every', everyMs: 245_000 }, '每隔 4 分 5 秒', 'Every 4 min 5 s'],
    [{ kind: 'after', delayMs: 7_200_000 }, '上次结束 2 小时后', '2 h after the last end'],
    [
      { kind: 'once', at: '2026-11-30T20:00:00Z' },
      '一次，2026-12-01 04:00:00 +08:00 Asia/Shanghai',
      'Once, at 2026-12-01 04:00:00 +08:00 Asia/Shanghai',
    ],
    [{ kind: 'once', at: 'tomorrow' }, '一次，tomorrow', 'Once, at tomorrow'],
    [{ kind: 'event', name: 'file.arrived' }, '事件 file.arrived', 'Event file.arrived'],
    [{ kind: 'upstream' }, '上游全部成功后', 'After its upstreams succeeded'],
    [{ kind: 'manual' }, '仅 API / 手动', 'API and by hand only'],
    [{ kind: 'of_tomorrow' }, 'of_tomorrow', 'of_tomorrow'],
  ])('%j', (schedule, zh, en) => {
    expect(said(schedule, 'zh-CN')).toBe(zh);
    expect(said(schedule, 'en')).toBe(en);
  });

  it.each(['', '  '])('is nothing, not even a zone, for the expression %j', (expression) => {
    for (const language of ['zh-CN', 'en'] as const) expect(said({ kind: 'cron', expression }, language)).toBe('');
  });

  it('goes without the zone that all times beside it are in', () => {
    expect(said({ kind: 'cron', expression: '0 9 * * *' }, 'en', ZONE)).toBe('At 09:00, every day');
    expect(said({ kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }, 'en', ZONE)).toBe('At 09:00, every day (UTC)');
  });
});
