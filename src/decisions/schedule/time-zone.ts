/** The longest span for which a change of clocks can repeat or leave out local times: a day, where the date line moved. */
export const LONGEST_CHANGE_MS = 26 * 3600 * 1000;

/** Clocks going from one offset to another at an instant. */
export interface ClockChange {
  /** The first instant of the new offset. */
  at: number;
  before: number;
  after: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Milliseconds by which the zone's clocks are ahead of UTC at an instant, from the zone data of this Node (ICU).
 *
 * @throws RangeError if there is no such zone
 */
export function offsetAt(timeZone: string, at: number): number {
  const kept = formats.get(timeZone);
  const format = kept ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  if (!kept) formats.set(timeZone, format);
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
