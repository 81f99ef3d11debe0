import { checkSchedule } from '../../../src/decisions/schedule/check-schedule.js';
import { cron, fires } from '../../support/schedules.js';

const from = '2026-01-01T00:00:00Z';

describe('an expression is stored in one spelling', () => {
  it.each([
    ['0  9 *\t* mon-fri', '0 9 * * MON-FRI'],
    ['05 09 * jan,Dec *', '5 9 * JAN,DEC *'],
    ['0 0 ? * 7', '0 0 * * 7'],
    ['0 0 WL * ?', '0 0 LW * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@Yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
  ])('%j is %s', (written, stored) => {
    expect(cron(written).expression).toBe(stored);
    expect(cron(stored).expression).toBe(stored);
  });

  it.each([
    ['0 0 12 ? * 2-6', '0 0 12 * * MON-FRI'],
    ['0 0 12 ? * 1', '0 0 12 * * SUN'],
    ['0 0 12 ? * 7', '0 0 12 * * SAT'],
    ['0 0 12 ? * 6#3', '0 0 12 * * FRI#3'],
    ['0 0 12 ? * 6L', '0 0 12 * * FRIL'],
    ['0 0 12 ? * L', '0 0 12 * * SAT'],
    ['0 0 12 ? * 2/2', '0 0 12 * * MON/2'],
    ['0 0 12 ? * 6-2', '0 0 12 * * FRI-MON'],
    ['0 0 12 ? * SUN,3', '0 0 12 * * SUN,TUE'],
    ['0 0/5 14,18 * * ?', '0 0/5 14,18 * * *'],
    ['0 15 10 L-2 * ? 2026-2030', '0 15 10 L-2 * * 2026-2030'],
    ['0 15 10 15W * ?', '0 15 10 15W * *'],
  ])('Quartz %s is %s', (written, stored) => {
    const verdict = checkSchedule({ kind: 'cron', expression: written, cronDialect: 'quartz', timeZone: 'UTC' });
    expect(verdict).toMatchObject({ ok: true, schedule: { expression: stored }, notes: [{ code: 'quartz_rewritten' }] });
    expect(verdict.ok && 'cronDialect' in verdict.schedule).toBe(false);
    expect(cron(stored).expression).toBe(stored);
  });
});

describe('times of the day', () => {
  it.each([
    ['5/20 * * * *', ['2026-01-01T00:05:00Z', '2026-01-01T00:25:00Z', '2026-01-01T00:45:00Z', '2026-01-01T01:05:00Z']],
    ['0 22-2 * * *', ['2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', '2026-01-01T22:00:00Z', '2026-01-01T23:00:00Z']],
    ['0 22-4/2 * * *', ['2026-01-01T02:00:00Z', '2026-01-01T04:00:00Z', '2026-01-01T22:00:00Z', '2026-01-02T00:00:00Z']],
    ['50-10/10 3 * * *', ['2026-01-01T03:00:00Z', '2026-01-01T03:10:00Z', '2026-01-01T03:50:00Z', '2026-01-02T03:00:00Z']],
    ['*/30 59 23 * * *', ['2026-01-01T23:59:00Z', '2026-01-01T23:59:30Z', '2026-01-02T23:59:00Z']],
    ['1 2 3 4 5 ? 2030-2031', ['2030-05-04T03:02:01Z', '2031-05-04T03:02:01Z']],
    ['0 0 29 FEB-MAR/1 *', ['2026-03-29T00:00:00Z', '2027-03-29T00:00:00Z', '2028-02-29T00:00:00Z']],
  ])('%s', (expression, expected) => {
    expect(fires(cron(expression), from, expected.length)).toEqual(expected);
  });
});

describe('a refusal names the field and the rule', () => {
  it.each([
    ['60 * * * *', 'out_of_range', 'minute must be from 0 to 59, not "60"'],
    ['0 24 * * *', 'out_of_range', 'hour must be from 0 to 23, not "24"'],
    ['0 0 0 * *', 'out_of_range', 'day of month must be from 1 to 31, not "0"'],
    ['0 0 32W * *', 'out_of_range', 'day of month must be from 1 to 31, not "32"'],
    ['0 0 * 13 *', 'out_of_range', 'month must be from 1 to 12 or JAN to DEC, not "13"'],
    ['0 0 * * 8', 'out_of_range', 'day of week must be from 0 to 7 or SUN to SAT, not "8"'],
    ['60 0 0 * * *', 'out_of_range', 'second must be from 0 to 59, not "60"'],
    ['0 0 0 1 1 * 1969', 'out_of_range', 'year must be from 1970 to 2099, not "1969"'],
    ['0 0 0 1 1 * 2030-2026', 'out_of_range', 'year: the range "2030-2026" ends before it begins'],
    ['0-100000000 * * * *', 'out_of_range', 'minute must be from 0 to 59, not "100000000"'],
    ['0 0 0 1 1 * 1970-100000000', 'out_of_range', 'year must be from 1970 to 2099, not "100000000"'],
    [`${'9'.repeat(200)} * * * *`, 'out_of_range', 'minute must be from 0 to 59, not "99999999999999999999…"'],
    ['*/0 * * * *', 'out_of_range', 'minute: a step must be from 1 to 59, not "0"'],
    ['*/60 * * * *', 'out_of_range', 'minute: a step must be from 1 to 59, not "60"'],
    ['*/1e3 * * * *', 'bad_format', 'minute: the step "1E3" is not a number'],
    ['0 0 L-31 * *', 'out_of_range', 'day of month: n of L-n must be from 0 to 30, not "31"'],
    ['0 0 L-3W * *', 'bad_format', 'day of month: "L-3W" must be L, LW or L-n with n from 0 to 30'],
    ['0 0 * * 5#6', 'out_of_range', 'day of week: the number after # must be from 1 to 5, not "6"'],
    ['0 0 * * L', 'bad_format', 'day of week: "L" needs a day before it, such as FRIL or 5L'],
    ['0 0 * * MONDAY', 'bad_format', 'day of week: "MONDAY" is not from 0 to 7 or SUN to SAT'],
    ['0 0 * * FRI+1', 'bad_format', 'day of week: "FRI+1" is not from 0 to 7 or SUN to SAT'],
    ['0 0 * JANFEB *', 'bad_format', 'month: "JANFEB" is not from 1 to 12 or JAN to DEC'],
    ['0 MON * * *', 'bad_format', 'hour: "MON" is not from 0 to 23'],
    ['? * * * *', 'bad_format', 'minute: "?" may only stand alone as the day of month or the day of week'],
    ['0 0 1,? * *', 'bad_format', 'day of month: "?" may only stand alone as the day of month or the day of week'],
    ['1,,2 * * * *', 'bad_format', 'minute: "" is not an item of a list'],
    ['1-2-3 * * * *', 'bad_format', 'minute: "1-2-3" is not a range'],
    ['-5 * * * *', 'bad_format', 'minute: "" is not from 0 to 59'],
    ['1.5 * * * *', 'bad_format', 'minute: "1.5" is not from 0 to 59'],
    ['H * * * *', 'bad_format', 'minute: "H" is not from 0 to 59'],
    ['* * * *', 'bad_format', 'must have 5 fields, 6 beginning with seconds or 7 ending with a year, not 4'],
    ['* * * * * * * *', 'bad_format', 'must have 5 fields, 6 beginning with seconds or 7 ending with a year, not 8'],
    ['@reboot', 'bad_format', '"@reboot" is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    ['0 0 31 2 *', 'never_fires', 'never fires at any time'],
    ['0 0 30 FEB ?', 'never_fires', 'never fires at any time'],
    ['0 0 31W 2,4 *', 'never_fires', 'never fires at any time'],
    ['0 0 0 29 2 ? 2027', 'never_fires', 'never fires at any time'],
  ])('%s', (expression, code, message) => {
    expect(checkSchedule({ kind: 'cron', expression, timeZone: 'UTC' }, { pointer: '/schedule' })).toMatchObject({
      ok: false,
      errors: [{ pointer: '/schedule/expression', code, message }],
    });
  });

  it.each([
    ['0 9 * * 2', 'a Quartz expression has 6 fields beginning with seconds, or 7 ending with a year, not 5'],
    ['0 0 9 ? * ?', 'day of week: Quartz allows "?" in only one of day of month and day of week'],
    ['0 0 9 1 * 2', 'day of week: Quartz wants "?" in one of day of month and day of week'],
    ['0 0 9 ? * 0', 'day of week must be from 1 to 7 or SUN to SAT, not "0"'],
    ['0 0 9 ? * 8#1', 'day of week must be from 1 to 7 or SUN to SAT, not "8"'],
  ])('Quartz %s', (expression, message) => {
    const verdict = checkSchedule({ kind: 'cron', expression, cronDialect: 'quartz', timeZone: 'UTC' });
    expect(verdict).toMatchObject({ ok: false, errors: [{ pointer: '/expression', message }] });
  });

  it('a day that clocks always leave out never fires when gaps are skipped', () => {
    const schedule = { kind: 'cron', expression: '0 30 2 8 3 * 2026', timeZone: 'America/New_York' };
    expect(checkSchedule(schedule)).toMatchObject({ ok: true });
    expect(checkSchedule({ ...schedule, dst: { gap: 'skip' } })).toMatchObject({ ok: false, errors: [{ code: 'never_fires' }] });
  });
});

it('says that day of month and day of week are alternatives', () => {
  const verdict = checkSchedule({ kind: 'cron', expression: '0 0 13 * FRI', timeZone: 'UTC' });
  expect(verdict).toMatchObject({ ok: true, notes: [{ code: 'either_day' }] });
});
