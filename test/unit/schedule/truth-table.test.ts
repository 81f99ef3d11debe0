import { cron, fires } from '../../support/schedules.js';

const NEW_YORK = 'America/New_York'; // 8 March 07:00Z: 02:00 → 03:00 (−5 → −4); 1 November 06:00Z: 02:00 → 01:00
const BERLIN = 'Europe/Berlin'; // 29 March 01:00Z: 02:00 → 03:00 (+1 → +2); 25 October 01:00Z: 03:00 → 02:00
const LORD_HOWE = 'Australia/Lord_Howe'; // 4 April 15:00Z: 02:00 → 01:30 (+11 → +10:30); 3 October 15:30Z: 02:00 → 02:30
const SANTIAGO = 'America/Santiago'; // 5 April 03:00Z: 00:00 → 23:00 (−3 → −4); 6 September 04:00Z: 00:00 → 01:00
const TROLL = 'Antarctica/Troll'; // 29 March 01:00Z: 01:00 → 03:00 (+0 → +2); 25 October 01:00Z: 03:00 → 01:00

describe('a fixed hour in a gap fires at the first valid instant, or not at all', () => {
  it.each([
    [NEW_YORK, '30 2 * * *', '2026-03-07T12:00Z', '2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z'],
    [NEW_YORK, '*/15 2 * * *', '2026-03-07T12:00Z', '2026-03-08T07:00:00Z', '2026-03-09T06:00:00Z'],
    [NEW_YORK, '0 2 8 3 *', '2026-01-01T00:00Z', '2026-03-08T07:00:00Z', '2027-03-08T07:00:00Z'],
    [BERLIN, '30 2 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
    [LORD_HOWE, '15 2 * * *', '2026-10-03T00:00Z', '2026-10-03T15:30:00Z', '2026-10-04T15:15:00Z'],
    [SANTIAGO, '0 0 * * *', '2026-09-05T12:00Z', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
    [SANTIAGO, '30 0 * * SUN', '2026-09-05T12:00Z', '2026-09-06T04:00:00Z', '2026-09-13T03:30:00Z'],
    [TROLL, '30 1 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00:00Z', '2026-03-29T23:30:00Z'],
    [TROLL, '30 2 * * *', '2026-03-28T12:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
  ])('%s %s', (timeZone, expression, from, atTheGap, afterIt) => {
    expect(fires(cron(expression, { timeZone }), from, 2)).toEqual([atTheGap, afterIt]);
    expect(fires(cron(expression, { timeZone, dst: { gap: 'skip' } }), from, 1)).toEqual([afterIt]);
  });
});

describe('a fixed hour in an overlap fires in the first pass, or in both', () => {
  it.each([
    [NEW_YORK, '30 1 * * *', '2026-10-31T12:00Z', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z'],
    [BERLIN, '30 2 * * *', '2026-10-24T12:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
    [LORD_HOWE, '45 1 * * *', '2026-04-04T00:00Z', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z', '2026-04-05T15:15:00Z'],
    [SANTIAGO, '30 23 * * *', '2026-04-04T12:00Z', '2026-04-05T02:30:00Z', '2026-04-05T03:30:00Z', '2026-04-06T03:30:00Z'],
    [TROLL, '30 2 * * *', '2026-10-24T12:00Z', '2026-10-25T00:30:00Z', '2026-10-25T02:30:00Z', '2026-10-26T02:30:00Z'],
  ])('%s %s', (timeZone, expression, from, first, second, nextDay) => {
    expect(fires(cron(expression, { timeZone }), from, 2)).toEqual([first, nextDay]);
    expect(fires(cron(expression, { timeZone, dst: { overlap: 'twice' } }), from, 3)).toEqual([first, second, nextDay]);
  });
});

describe('several fixed times in a gap fire once, together', () => {
  it.each([
    ['0,30 2 * * *', ['2026-03-08T07:00:00Z', '2026-03-09T06:00:00Z']],
    ['0 1-3 * * *', ['2026-03-08T06:00:00Z', '2026-03-08T07:00:00Z', '2026-03-09T05:00:00Z']],
    ['30 1-3 * * *', ['2026-03-08T06:30:00Z', '2026-03-08T07:00:00Z', '2026-03-08T07:30:00Z', '2026-03-09T05:30:00Z']],
  ])('%s', (expression, expected) => {
    expect(fires(cron(expression, { timeZone: NEW_YORK }), '2026-03-08T00:00Z', expected.length)).toEqual(expected);
  });
});

describe('an hour that is a wildcard or a step follows real time', () => {
  it.each([
    [NEW_YORK, '30 * * * *', '2026-03-08T05:45Z', ['2026-03-08T06:30:00Z', '2026-03-08T07:30:00Z']],
    [NEW_YORK, '30 * * * *', '2026-11-01T05:00Z', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T07:30:00Z']],
    [NEW_YORK, '0 */2 * * *', '2026-03-08T04:30Z', ['2026-03-08T05:00:00Z', '2026-03-08T08:00:00Z']],
    [BERLIN, '*/30 * * * *', '2026-10-25T00:15Z', ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', '2026-10-25T01:30:00Z']],
    [LORD_HOWE, '0 * * * *', '2026-10-03T14:00Z', ['2026-10-03T14:30:00Z', '2026-10-03T16:00:00Z']],
    [LORD_HOWE, '30 * * * *', '2026-04-04T14:00Z', ['2026-04-04T14:30:00Z', '2026-04-04T15:00:00Z', '2026-04-04T16:00:00Z']],
    [LORD_HOWE, '*/15 * * * *', '2026-04-04T14:50Z', ['2026-04-04T15:00:00Z', '2026-04-04T15:15:00Z', '2026-04-04T15:30:00Z']],
    [TROLL, '0 * * * *', '2026-10-25T00:30Z', ['2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z', '2026-10-25T03:00:00Z']],
  ])('%s %s from %s', (timeZone, expression, from, expected) => {
    for (const dst of [{}, { gap: 'skip', overlap: 'twice' }]) {
      expect(fires(cron(expression, { timeZone, dst }), from, expected.length)).toEqual(expected);
    }
  });

  it.each([
    ['2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z', 23],
    ['2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', 25],
  ])('an hourly job of New York has on the day from %s to %s %i fires', (from, to, count) => {
    const found = fires(cron('0 * * * *', { timeZone: NEW_YORK }), new Date(Date.parse(from) - 1).toISOString(), 30);
    expect(found.filter((at) => at < to)).toHaveLength(count);
  });
});

describe('a zone whose clocks never change', () => {
  it.each([
    ['Asia/Shanghai', '0 2 * * *', ['2026-03-07T18:00:00Z', '2026-03-08T18:00:00Z']],
    ['Asia/Kathmandu', '30 2 * * *', ['2026-03-07T20:45:00Z', '2026-03-08T20:45:00Z']],
    ['Asia/Kathmandu', '0 * * * *', ['2026-03-07T12:15:00Z', '2026-03-07T13:15:00Z']],
    ['UTC', '0 0 * * *', ['2026-03-08T00:00:00Z', '2026-03-09T00:00:00Z']],
  ])('%s %s', (timeZone, expression, expected) => {
    expect(fires(cron(expression, { timeZone }), '2026-03-07T12:00Z', 2)).toEqual(expected);
  });
});

it('a day that a zone left out altogether fires at its end', () => {
  const samoa = cron('0 12 30 12 *', { timeZone: 'Pacific/Apia' });
  expect(fires(samoa, '2011-06-01T00:00Z', 1)).toEqual(['2011-12-30T10:00:00Z']);
});
