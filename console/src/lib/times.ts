import type { Translate } from './i18n';
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
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY;
}

const DAY = 86_400_000;
/** From so many days on, years tell more. */
const MOST_DAYS = 731;
const STEPS = [
  ['day', DAY],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** "3 minutes ago", "in 2 hours"; from a day on by the days of that zone: "tomorrow" is the next date, however many hours that is. */
export function relativeText(at: number, now: number, language: Language, zone: string | null): string {
  const distance = at - now;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(distance) >= each) ?? STEPS[3];
  const count = unit === 'day' ? dayOf(at, zone) - dayOf(now, zone) : Math.trunc(distance / size);
  const text =
    Math.abs(distance) < MOST_DAYS * DAY
      ? new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(count, unit)
      : new Intl.RelativeTimeFormat(language).format(Math.trunc(count / 365.25), 'year');
  // As everywhere in the console: a space between figures and Chinese, and seconds in one word.
  return text.replace(/(\d)(?=\p{Script=Han})/u, '$1 ').replace('秒钟', '秒');
}

/** Units of a length of time, each with the smaller one it is told with; what is whole stays short: "1 d". */
const UNITS = [
  { size: 86_400_000, rest: 3_600_000, whole: 'duration.d', both: 'duration.dH' },
  { size: 3_600_000, rest: 60_000, whole: 'duration.h', both: 'duration.hMin' },
  { size: 60_000, rest: 1_000, whole: 'duration.min', both: 'duration.minS' },
] as const;

/** Milliseconds as people say them: `0.4 ms`, `84 ms`, `3.2 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`; `4 分 5 秒`, `2 小时 10 分`. */
export function durationText(ms: number, t: Translate): string {
  if (!Number.isFinite(ms)) return '–';
  const sign = ms < 0 ? '-' : '';
  const size = Math.abs(ms);
  if (size < 9.95) return sign + t('duration.ms', { n: Number(size.toFixed(1)) });
  if (size < 999.5) return sign + t('duration.ms', { n: Math.round(size) });
  if (size < 9_950) return sign + t('duration.s', { n: Number((size / 1_000).toFixed(1)) });
  if (size < 59_500) return sign + t('duration.s', { n: Math.round(size / 1_000) });
  const long = Math.max(60_000, size);
  const unit = UNITS.find((each) => long >= each.size) ?? UNITS[2];
  const [n, rest] = [Math.floor(long / unit.size), Math.floor((long % unit.size) / unit.rest)];
  return sign + (rest === 0 ? t(unit.whole, { n }) : t(unit.both, { n, rest }));
}

/**
 * A part of a whole as a percentage: with one decimal near either end, where it tells most, whole numbers between. Only nothing is 0%
 * and only all is 100%.
 */
export function shareText(part: number): string {
  const percent = part * 100;
  if (percent <= 0 || percent >= 100) return `${Math.round(percent)}%`;
  const shown = percent < 10 || percent > 90 ? Number(percent.toFixed(1)) : Math.round(percent);
  return `${Math.min(99.9, Math.max(0.1, shown))}%`;
}
