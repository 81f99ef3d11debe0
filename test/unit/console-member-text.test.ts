import type { JobDefinitionView } from '../../src/decisions/stated-job.js';

type Language = 'zh-CN' | 'en';
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { memberText } = jest.requireActual<{
  memberText: (name: string, value: unknown, words: object) => string;
}>('../../console/src/features/jobs/member-text');
const { translate } = jest.requireActual<{
  translate: (language: Language, key: string, values?: object) => string;
}>('../../console/src/lib/translate');

const words = (language: Language) => ({
  t: (key: string, values?: object) => translate(language, key, values),
  code: (prefix: string, code: string) => translate(language, `${prefix}.${code}`),
  language,
  timeZone: 'UTC',
});
const cron: JobDefinitionView['schedule'] = { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC', dst: { gap: 'skip' } };

describe('a member of a definition is told', () => {
  it.each<[string, unknown, string, string]>([
    ['overlap', 'queue', 'Queue', '排队'],
    ['overlap', 'allow', 'Allow', '允许并行'],
    ['misfire', 'fire_once', 'Fire once', '补一次'],
    ['repeatable', false, 'no', '否'],
    ['timeoutMs', 90_000, '1 min 30 s', '1 分 30 秒'],
    ['timeoutMs', 0, 'none', '不限'],
    ['tags', ['a', 'b'], 'a, b', 'a, b'],
    ['paramsText', 'null', '–', '–'],
    ['paramsText', '{"n":null}', '{"n":null}', '{"n":null}'],
    ['owner', undefined, '–', '–'],
    ['owner', 'a\u202eb', 'a⟨U+202E⟩b', 'a⟨U+202E⟩b'],
    ['metadata', { k: '\u2066v' }, '{"k":"⟨U+2066⟩v"}', '{"k":"⟨U+2066⟩v"}'],
    ['schedule.startAt', '2027-01-01T00:00:00Z', '2027-01-01 00:00:00 +00:00 UTC', '2027-01-01 00:00:00 +00:00 UTC'],
    ['retry', { kind: 'none' }, 'None', '不重试'],
    [
      'retry',
      { kind: 'fixed', maxRetries: 2, delayMs: 5_000 },
      'Fixed · Retries: 2 · Delay: 5 s',
      '固定间隔 · 重试次数：2 · 间隔：5 秒',
    ],
    ['schedule', { kind: 'manual' }, 'API and by hand only', '仅 API / 手动'],
  ])('in the words of the editor: %s %j', (name, value, english, chinese) => {
    expect([memberText(name, value, words('en')), memberText(name, value, words('zh-CN'))]).toEqual([english, chinese]);
  });

  it('with the sentence of a cron schedule and what it is made of, as a whole and by itself', () => {
    const sentence = memberText('schedule.expression', '0 3 * * *', words('en'));
    expect(sentence).toMatch(/^\S.*03:00.* · 0 3 \* \* \*$/);
    const whole = memberText('schedule', cron, words('en'));
    expect(whole).toContain(sentence.replace(/ · .*/, ''));
    expect(whole).toContain('0 3 * * *');
    expect(whole).not.toContain('{');
  });
});
