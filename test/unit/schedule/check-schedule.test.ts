import { checkSchedule, type ScheduleContext } from '../../../src/decisions/schedule/check-schedule.js';
import { accepted } from '../../support/schedules.js';

const findings = (input: unknown, context?: ScheduleContext) => {
  const verdict = checkSchedule(input, context);
  return verdict.ok ? [] : verdict.errors.map(({ pointer, code }) => `${pointer} ${code}`);
};
const cron = (over: object) => ({ kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Shanghai', ...over });

describe('a schedule is accepted and stored', () => {
  it.each([
    [cron({}), { ...cron({}), dst: { gap: 'first_valid', overlap: 'once' } }],
    [cron({ dst: { overlap: 'twice' } }), { ...cron({}), dst: { gap: 'first_valid', overlap: 'twice' } }],
    [cron({ cronDialect: 'unix', timeZone: 'asia/shanghai' }), { ...cron({}), dst: { gap: 'first_valid', overlap: 'once' } }],
    [
      { kind: 'every', everyMs: 1000, anchorAt: '2026-01-01T08:00:00+08:00' },
      { kind: 'every', everyMs: 1000, anchorAt: '2026-01-01T00:00:00.000Z' },
    ],
    [
      { kind: 'after', delayMs: 0 },
      { kind: 'after', delayMs: 0 },
    ],
    [
      { kind: 'once', at: '2026-01-01T00:00:00.5Z' },
      { kind: 'once', at: '2026-01-01T00:00:00.500Z' },
    ],
    [
      { kind: 'event', name: 'order.paid' },
      { kind: 'event', name: 'order.paid' },
    ],
    [{ kind: 'upstream' }, { kind: 'upstream' }],
    [
      { kind: 'manual', jitterMs: 0, startAt: '2026-01-01T00:00:00Z', endAt: '2026-01-01T00:00:00Z' },
      { kind: 'manual', jitterMs: 0, startAt: '2026-01-01T00:00:00.000Z', endAt: '2026-01-01T00:00:00.000Z' },
    ],
  ])('%j', (input, stored) => {
    expect(accepted(input)).toEqual(stored);
    expect(accepted(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });

  it('in the default zone, which is stored with it', () => {
    expect(accepted({ kind: 'cron', expression: '@daily' }, { defaultTimeZone: 'Europe/Berlin' })).toMatchObject({
      timeZone: 'Europe/Berlin',
    });
    expect(accepted(cron({}), { defaultTimeZone: 'Europe/Berlin' })).toMatchObject({ timeZone: 'Asia/Shanghai' });
  });

  it.each(['UTC', 'GMT', 'Etc/GMT-8', 'Asia/Kathmandu', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince'])(
    'in the zone %s',
    (timeZone) => {
      expect(accepted(cron({ timeZone }))).toMatchObject({ timeZone });
    },
  );
});

describe('a schedule is refused', () => {
  it.each([
    ['no object', null, ' wrong_type'],
    ['an unknown kind', { kind: 'hourly' }, '/kind not_allowed'],
    ['a kind of the prototype', { kind: 'constructor' }, '/kind not_allowed'],
    ['no kind', {}, '/kind not_allowed'],
    ['no expression', cron({ expression: undefined }), '/expression required'],
    ['an empty expression', cron({ expression: '' }), '/expression bad_format'],
    ['a blank expression', cron({ expression: '  ' }), '/expression bad_format'],
    ['a long expression', cron({ expression: `${'0,'.repeat(200)}0 * * * *` }), '/expression too_long'],
    ['a number as expression', cron({ expression: 5 }), '/expression wrong_type'],
    ['an unknown dialect', cron({ cronDialect: 'spring' }), '/cronDialect not_allowed'],
    ['no zone', cron({ timeZone: undefined }), '/timeZone required'],
    ['an unknown zone', cron({ timeZone: 'Asia/Beijing' }), '/timeZone unknown_timezone'],
    ['an ambiguous zone', cron({ timeZone: 'CST' }), '/timeZone unknown_timezone'],
    ['an offset as zone', cron({ timeZone: '+08:00' }), '/timeZone unknown_timezone'],
    ['an empty zone', cron({ timeZone: '' }), '/timeZone unknown_timezone'],
    ['a gap rule of its own', cron({ dst: { gap: 'once' } }), '/dst/gap not_allowed'],
    ['an overlap rule of its own', cron({ dst: { overlap: 2 } }), '/dst/overlap wrong_type'],
    ['an unknown rule of clocks', cron({ dst: { fold: 1 } }), '/dst/fold unknown_field'],
    ['null as dst', cron({ dst: null }), '/dst wrong_type'],
    ['less than a second', { kind: 'every', everyMs: 999 }, '/everyMs out_of_range'],
    ['part of a millisecond', { kind: 'every', everyMs: 1000.5 }, '/everyMs out_of_range'],
    ['a text as interval', { kind: 'every', everyMs: '1000' }, '/everyMs wrong_type'],
    ['more than a year', { kind: 'every', everyMs: 367 * 24 * 3600 * 1000 }, '/everyMs out_of_range'],
    ['a field of another kind', { kind: 'every', everyMs: 1000, expression: '* * * * *' }, '/expression unknown_field'],
    ['a negative delay', { kind: 'after', delayMs: -1 }, '/delayMs out_of_range'],
    ['a local instant', { kind: 'once', at: '2026-01-01T00:00:00' }, '/at bad_format'],
    ['a number as instant', { kind: 'once', at: 0 }, '/at wrong_type'],
    ['an event without name', { kind: 'event' }, '/name required'],
    ['a long event name', { kind: 'event', name: 'x'.repeat(129) }, '/name too_long'],
    ['a jitter of two days', { kind: 'manual', jitterMs: 2 * 24 * 3600 * 1000 }, '/jitterMs out_of_range'],
    [
      'an end before the start',
      { kind: 'manual', startAt: '2026-01-02T00:00:00Z', endAt: '2026-01-01T00:00:00Z' },
      '/endAt out_of_range',
    ],
    [
      'a window without a fire',
      cron({ startAt: '2026-01-01T02:00:00Z', endAt: '2026-01-02T00:59:59Z' }),
      '/expression never_fires',
    ],
    ['once outside its window', { kind: 'once', at: '2026-01-01T00:00:00Z', startAt: '2026-01-02T00:00:00Z' }, '/at never_fires'],
  ])('%s', (_, input, finding) => {
    expect(findings(input)).toEqual([finding]);
  });

  it('with every broken rule at once', () => {
    expect(findings(cron({ timeZone: 'Mars/Base', jitterMs: '1', extra: 1 }), { pointer: '/schedule' })).toEqual([
      '/schedule/timeZone unknown_timezone',
      '/schedule/jitterMs wrong_type',
      '/schedule/extra unknown_field',
    ]);
  });

  it('if it will not fire again, where the present is told', () => {
    const nowMs = Date.parse('2026-06-01T00:00:00Z');
    const past = [
      { kind: 'once', at: '2026-06-01T00:00:00Z' },
      { kind: 'every', everyMs: 1000, endAt: '2026-05-31T00:00:00Z' },
      cron({ expression: '0 0 0 1 1 ? 2026' }),
      { kind: 'event', name: 'paid', endAt: '2026-05-31T00:00:00Z' },
      { kind: 'upstream', endAt: '2026-05-31T23:59:59.999Z' },
      cron({ expression: '30 2 * 3 SUN#2', timeZone: 'America/New_York', dst: { gap: 'skip' } }),
    ];
    for (const schedule of past) {
      expect(findings(schedule)).toEqual([]);
      expect(findings(schedule, { nowMs })).toEqual([expect.stringContaining('never_fires')]);
    }
  });
});

describe('a corrupt row is a finding and never an exception', () => {
  it.each([
    cron({ expression: '99 * * * *' }),
    cron({ expression: null }),
    cron({ timeZone: 'Nowhere/Land' }),
    cron({ timeZone: 7 }),
    cron({ startAt: 'yesterday' }),
    cron({ dst: 'none' }),
    { kind: 'every', everyMs: null },
    { kind: 'once' },
    [],
    'cron',
    undefined,
  ])('%j', (row) => {
    expect(checkSchedule(row)).toMatchObject({ ok: false });
  });
});
