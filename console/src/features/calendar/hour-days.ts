import type { Language } from '../../lib/preferences';
import { instantText } from '../../lib/times';
import { HOUR } from './hour-fires';

const dateOf = (at: number, zone: string | null): string => instantText(at, zone).slice(0, -9);

/** The hours of a span by their dates: the first hour of each date, and how many there are of it. */
export function daysOf(start: number, hours: number, zone: string | null): { hour: number; length: number }[] {
  const days: { hour: number; length: number }[] = [];
  for (let hour = 0; hour < hours; hour++) {
    const day = days.at(-1);
    if (day && dateOf(start + day.hour * HOUR, zone) === dateOf(start + hour * HOUR, zone)) day.length += 1;
    else days.push({ hour, length: 1 });
  }
  return days;
}

/** `12-02 周三`, `12-02 Wed`; with the year if it is not this one's. */
export function dayText(at: number, zone: string | null, language: Language): string {
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: zone ?? undefined }).format(at);
  return `${dateOf(at, zone)} ${weekday}`;
}
