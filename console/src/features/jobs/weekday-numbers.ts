const FROM_SUNDAY = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
/** Quartz numbers weekdays from 1 = SUN to 7; crontab from 0 = SUN, and 7 is SUN too. */
export type Counting = 'quartz' | 'crontab';

/**
 * What an expression with weekday numbers may mean: six or seven fields are written for Quartz as well as for a cron with seconds. Both
 * readings have names instead of numbers. Null when there is only one meaning, or none.
 */
export function weekdayReadings(expression: string): Record<Counting, string> | null {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 6 && fields.length !== 7) return null;
  const [quartz, crontab] = [named(fields, 1), named(fields, 0)];
  return quartz === null || crontab === null || quartz === crontab ? null : { quartz, crontab };
}

/** Null when a number is no weekday by this counting. What stands behind `#` and `/` counts something else. */
function named(fields: readonly string[], sunday: 0 | 1): string | null {
  let known = true;
  const days = (fields[5] as string).replace(/(?<![#/\d])\d+/g, (text) => {
    const day = Number(text) - sunday;
    if (day < 0 || day > 7 - sunday) known = false;
    return FROM_SUNDAY[day % 7] ?? text;
  });
  return known ? [...fields.slice(0, 5), days, ...fields.slice(6)].join(' ') : null;
}
