import { clockChange, offsetAt } from '../../../src/decisions/schedule/time-zone.js';

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Antarctica/Troll',
  'Asia/Shanghai',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
];
const HOUR_MS = 3600_000;

/** What ICU says, asked for this instant alone. */
function stated(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const [, sign, hours = '0', minutes = '0'] =
    /GMT([+-])?(\d\d)?:?(\d\d)?/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000 || 0;
}

describe('the offset of a zone', () => {
  it.each(ZONES)('of %s is what ICU states, at any hour of a year, before and after its changes', (timeZone) => {
    const from = Date.UTC(2026, 0, 1);
    const to = Date.UTC(2027, 0, 1);
    const format = { at: from, offset: stated(timeZone, from) };
    const changes: number[] = [];
    for (let at = from; at < to; at += 61 * 60_000) {
      const offset = offsetAt(timeZone, at) + 0;
      // Asked at once around every change, and every few days in between.
      if (offset !== format.offset || at - format.at > 50 * HOUR_MS) {
        expect([at, offset]).toEqual([at, stated(timeZone, at)]);
        if (offset !== format.offset) changes.push(at);
        format.at = at;
        format.offset = offset;
      }
    }
    for (const about of changes) {
      const change = clockChange(timeZone, about - 2 * HOUR_MS, about);
      expect(change).not.toBeNull();
      for (const at of [about - 2 * HOUR_MS, (change?.at ?? 0) - 1, change?.at ?? 0, about])
        expect([at, offsetAt(timeZone, at)]).toEqual([at, stated(timeZone, at)]);
    }
  });

  it('of a day the zone left out is right on both sides of it', () => {
    // Samoa went over the date line: the 30th of December 2011 did not exist there.
    const change = clockChange('Pacific/Apia', Date.UTC(2011, 11, 29), Date.UTC(2011, 11, 31));
    expect(change).toEqual({ at: Date.UTC(2011, 11, 30, 10), before: -10 * HOUR_MS, after: 14 * HOUR_MS });
    expect(offsetAt('Pacific/Apia', Date.UTC(2011, 11, 30, 10) - 1)).toBe(-10 * HOUR_MS);
    expect(offsetAt('Pacific/Apia', Date.UTC(2011, 11, 30, 10))).toBe(14 * HOUR_MS);
  });

  it('refuses a zone there is not', () => {
    expect(() => offsetAt('Mars/Olympus', 0)).toThrow(RangeError);
  });
});
