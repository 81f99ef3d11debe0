import { DAY_MS } from './calendar-days.js';

/** The longest span for which a change of clocks can repeat or leave out local times: a day, where the date line moved. */
export const LONGEST_CHANGE_MS = 26 * 3600 * 1000;

/** Clocks going from one offset to another at an instant. */
export interface ClockChange {
  /** The first instant of the new offset. */
  at: number;
  before: number;
  after: number;
}

/** What is kept of a zone: asking ICU takes as long as a hundred looks into a table, and every fire asks several times. */
interface Zone {
  format: Intl.DateTimeFormat;
  /** Offset at the first instant of a UTC day, by the number of the day. */
  atDay: Map<number, number>;
}
const zones = new Map<string, Zone>();
const DAYS_KEPT = 1_000;

/**
 * Milliseconds by which the zone's clocks are ahead of UTC at an instant, from the zone data of this Node (ICU).
 *
 * @throws RangeError if there is no such zone
 */
export function offsetAt(timeZone: string, at: number): number {
  const zone = zoneOf(timeZone);
  const day = Math.floor(at / DAY_MS);
  const offset = offsetAtDay(zone, day);
  // No zone changes twice within a day: as it begins and ends, so it is all through.
  return offset === offsetAtDay(zone, day + 1) ? offset : statedOffset(zone.format, at);
}

function zoneOf(timeZone: string): Zone {
  const kept = zones.get(timeZone);
  if (kept) return kept;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const zone = { format, atDay: new Map<number, number>() };
  zones.set(timeZone, zone);
  return zone;
}

function offsetAtDay({ format, atDay }: Zone, day: number): number {
  const kept = atDay.get(day);
  if (kept !== undefined) return kept;
  const offset = statedOffset(format, day * DAY_MS);
  if (atDay.size >= DAYS_KEPT) atDay.delete(atDay.keys().next().value as number);
  atDay.set(day, offset);
  return offset;
}

function statedOffset(format: Intl.DateTimeFormat, at: number): number {
  // `3/8/2026, GMT-05:00`; nothing after GMT is UTC itself, and old local mean times have seconds.
  const text = format.format(at);
  const [hours = 0, minutes = 0, seconds = 0] = text
    .slice(text.indexOf('GMT') + 4)
    .split(':')
    .map(Number);
  const size = (hours * 3600 + minutes * 60 + seconds) * 1000;
  return text.includes('GMT-') ? -size : size;
}

/** The change of clocks later than `from` and not later than `to`, which may be two days apart: no zone changes twice in that time. */
export function clockChange(timeZone: string, from: number, to: number): ClockChange | null {
  if (to <= from) return null;
  const before = offsetAt(timeZone, from);
  const after = offsetAt(timeZone, to);
  if (before === after) return null;
  let [last, first] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (offsetAt(timeZone, middle * 1000) === before) last = middle;
    else first = middle;
  }
  return { at: first * 1000, before, after };
}

/**
 * The zone as it is stored, or null if it is not an IANA zone. Short names other than UTC and GMT are none here: ICU reads `CST` as
 * Chicago, and who writes it in Shanghai means something else.
 */
export function knownTimeZone(name: string): string | null {
  if (!/^(?:utc|gmt|[a-z_]+(?:\/[a-z0-9_+-]+){1,2})$/i.test(name) || /^(?:systemv|etc\/unknown)/i.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    // ICU answers with old spellings (Asia/Katmandu); only the capitals are taken from it.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
