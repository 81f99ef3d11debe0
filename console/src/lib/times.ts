import type { Language } from './preferences';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-CA', { ...options, timeZone: zone, hourCycle: 'h23' });
  formats.set(key, known);
  return known;
}

const TO_SECONDS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;

/** `MM-DD HH:mm:ss` in the zone; with the year if it is not this year's. */
export function instantText(at: number, zone: string | null, now = Date.now()): string {
  const parts = partsOf(at, zone, TO_SECONDS);
  const thisYear = partsOf(now, zone, TO_SECONDS).year;
  const day = `${parts.month}-${parts.day}`;
  return `${parts.year === thisYear ? day : `${parts.year}-${day}`} ${parts.hour}:${parts.minute}:${parts.second}`;
}

/** ISO 8601 with the zone's offset at that instant. */
export function isoInZone(at: number, zone: string | null): string {
  const p = partsOf(at, zone, { ...TO_SECONDS, timeZoneName: 'longOffset' });
  const offset = p.timeZoneName?.replace('GMT', '') || '+00:00';
  const millis = String(at % 1000).padStart(3, '0');
  return `${p.year}-${p.month}-${p.day}T${p.hour}:${p.minute}:${p.second}.${millis}${offset}`;
}

/** Day, time, offset and zone: as it stands where it may be read much later, or elsewhere. */
export function withZone(at: number, zone: string | null): string {
  const iso = isoInZone(at, zone);
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} ${iso.slice(23)} ${zone ?? browserZone()}`;
}

function partsOf(at: number, zone: string | null, options: Intl.DateTimeFormatOptions): Record<string, string> {
  return Object.fromEntries(
    format(zone ?? undefined, options)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Counts the dates of a zone. */
function dayOf(at: number, zone: string | null): number {
  const { year, month, day } = partsOf(at, zone, TO_SECONDS);
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / 86_400_000;
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** "3 minutes ago", "in 2 hours"; from a day on by the days of that zone: "tomorrow" is the next date, however many hours that is. */
export function relativeText(at: number, now: number, language: Language, zone: string | null): string {
  const distance = at - now;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(distance) >= each) ?? STEPS[3];
  const count = unit === 'day' ? dayOf(at, zone) - dayOf(now, zone) : Math.trunc(distance / size);
  const text = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(count, unit);
  // As everywhere in the console: a space between figures and Chinese.
  return text.replace(/(\d)(?=\p{Script=Han})/u, '$1 ');
}

/** Milliseconds as people say them: `0.4 ms`, `84 ms`, `3.2 s`, `4 m 05 s`, `2 h 10 m`, `3 d 4 h`; what is whole stays short: `1 d`. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const size = Math.abs(ms);
  if (size < 10) return `${Number(ms.toFixed(1))} ms`;
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 10_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  if (size < 60_000) return `${Math.round(ms / 1_000)} s`;
  const pad = (n: number) => String(n).padStart(2, '0');
  const text = (whole: string, rest: number, unit: string, padded = true) =>
    rest === 0 ? whole : `${whole} ${padded ? pad(rest) : rest} ${unit}`;
  const minutes = Math.floor(size / 60_000);
  const sign = ms < 0 ? '-' : '';
  if (size < 3_600_000) return sign + text(`${minutes} m`, Math.floor((size % 60_000) / 1_000), 's');
  if (size < 86_400_000) return sign + text(`${Math.floor(minutes / 60)} h`, minutes % 60, 'm');
  return sign + text(`${Math.floor(minutes / 1_440)} d`, Math.floor((minutes % 1_440) / 60), 'h', false);
}
