import { said } from '../../decisions/field-sentences.js';
import type { Parameter } from '../../decisions/query-parameters.js';

/** A zone a file's instants are written in. */
export interface WrittenZone {
  name: string;
  /** `2026-11-30 09:15:02.123` there, of an RFC 3339 instant; spreadsheets read it as a time. */
  local: (at: string) => string;
}

export const zoneParameter: Parameter<WrittenZone> = {
  parse: zoneOf,
  rule: said('time_zone'),
};

export function zoneOf(name: string): WrittenZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    const two = '2-digit';
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
      fractionalSecondDigits: 3,
    });
  } catch {
    return undefined;
  }
  return { name, local: (at) => localText(format, at) };
}

function localText(format: Intl.DateTimeFormat, at: string): string {
  const part = Object.fromEntries(format.formatToParts(Date.parse(at)).map(({ type, value }) => [type, value]));
  return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}.${part.fractionalSecond}`;
}
