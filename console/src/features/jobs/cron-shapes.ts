/** What the builder's tabs can say. Everything else is written as an expression. Weekdays are names, never numbers. */
export type CronShape =
  | { tab: 'every'; unit: 'minute' | 'hour'; n: number }
  | { tab: 'daily'; at: string }
  | { tab: 'weekly'; at: string; days: Weekday[] }
  | { tab: 'monthly'; at: string; on: number | 'L' | { nth: 1 | 2 | 3 | 4 | 'L'; day: Weekday } }
  | { tab: 'expression' };

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export function expressionOf(shape: Exclude<CronShape, { tab: 'expression' }>): string {
  switch (shape.tab) {
    case 'every':
      return shape.unit === 'minute' ? `*/${shape.n} * * * *` : `0 */${shape.n} * * *`;
    case 'daily':
      return `${timeOf(shape.at)} * * *`;
    case 'weekly':
      return `${timeOf(shape.at)} * * ${daysText(shape.days)}`;
    case 'monthly': {
      if (typeof shape.on !== 'object') return `${timeOf(shape.at)} ${shape.on} * *`;
      const { nth, day } = shape.on;
      return `${timeOf(shape.at)} * * ${nth === 'L' ? `${day}L` : `${day}#${nth}`}`;
    }
  }
}

/** Opens an expression in the tab that can say it. */
export function shapeOf(expression: string): CronShape {
  const [minute, hour, day, month, weekday, ...more] = expression.trim().toUpperCase().split(/\s+/);
  if (more.length > 0 || weekday === undefined || month !== '*') return { tab: 'expression' };
  const every = /^\*\/(\d+)$/;
  if (hour === '*' && day === '*' && weekday === '*' && minute && every.test(minute))
    return everyShape('minute', minute.match(every)?.[1]);
  if (minute === '0' && day === '*' && weekday === '*' && hour && every.test(hour))
    return everyShape('hour', hour.match(every)?.[1]);
  if (!/^\d+$/.test(minute ?? '') || !/^\d+$/.test(hour ?? '')) return { tab: 'expression' };
  const at = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  if (day === '*' && weekday === '*') return { tab: 'daily', at };
  if (weekday === '*' && (day === 'L' || /^\d+$/.test(day ?? '')))
    return { tab: 'monthly', at, on: day === 'L' ? 'L' : Number(day) };
  if (day !== '*') return { tab: 'expression' };
  const nth = weekday.match(/^(MON|TUE|WED|THU|FRI|SAT|SUN)(?:#([1-4])|(L))$/);
  if (nth) return { tab: 'monthly', at, on: { nth: nth[3] ? 'L' : (Number(nth[2]) as 1), day: nth[1] as Weekday } };
  const days = weekdaysOf(weekday);
  return days ? { tab: 'weekly', at, days } : { tab: 'expression' };
}

const everyShape = (unit: 'minute' | 'hour', n: string | undefined): CronShape => ({ tab: 'every', unit, n: Number(n) });

function timeOf(at: string): string {
  const [hour, minute] = at.split(':').map(Number);
  return `${minute ?? 0} ${hour ?? 0}`;
}

function daysText(days: readonly Weekday[]): string {
  const sorted = WEEKDAYS.filter((day) => days.includes(day));
  if (sorted.length === 5 && !sorted.includes('SAT') && !sorted.includes('SUN')) return 'MON-FRI';
  return sorted.length === 0 ? 'MON' : sorted.join(',');
}

function weekdaysOf(text: string): Weekday[] | null {
  const days: Weekday[] = [];
  for (const part of text.split(',')) {
    const [from, to = from] = part.split('-').map((name) => WEEKDAYS.indexOf(name as Weekday));
    if (from === undefined || to === undefined || from < 0 || to < from) return null;
    days.push(...WEEKDAYS.slice(from, to + 1));
  }
  return days;
}
