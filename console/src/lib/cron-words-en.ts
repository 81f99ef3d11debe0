import { type CronPart, type CronParts, dayRule, type MonthDay } from './cron-parts';
import { mondayFirst, type Span, unstepped } from './cron-spans';
import { type CronTime, type CronWords, isEach } from './cron-time';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];

const month = (n: number): string => MONTHS[(n - 1) % 12] as string;
const weekday = (n: number): string => WEEKDAYS[n % 7] as string;

/** The time first, then its days: "At 09:00, every Monday". */
export const ENGLISH: CronWords = {
  sentence(parts, time) {
    const days = daysText(parts);
    const { is } = time.is === 'seconds' ? time.minutes : time;
    const said = [timeText(time), is === 'times' ? (days ?? 'every day') : days, yearsText(parts.year)];
    const text = said.filter(Boolean).join(', ');
    return text.charAt(0).toUpperCase() + text.slice(1);
  },
};

function timeText(time: CronTime): string {
  switch (time.is) {
    case 'times':
      return `at ${list(time.at)}`;
    case 'every': {
      const stretches = list(time.stretches.map(([from, to]) => `from ${from} through ${to}`));
      if (stretches !== '') return `${every(time.n, time.unit)} ${stretches}`;
      return every(time.n, time.unit) + (time.offset > 0 ? `, at second ${time.offset}` : '');
    }
    case 'within':
      return withinText(time);
    case 'seconds': {
      const [seconds, minutes] = [timeText(time.seconds).replace(/ of every minute$/, ''), timeText(time.minutes)];
      return minutes.startsWith('every minute ') ? `${seconds} of ${minutes}` : `${seconds} of one minute, ${minutes}`;
    }
  }
}

function withinText({ unit, at, hours, offset }: Extract<CronTime, { is: 'within' }>): string {
  const past = unit === 'second' ? 'every minute' : hours === null ? 'every hour' : hoursText(hours);
  if (isEach(at)) return `${every(1, unit)} of ${past}${offset > 0 ? `, at second ${offset}` : ''}`;
  return `${marksText(at, unit)} ${unit === 'minute' && hours !== null ? 'past' : 'of'} ${past}${offset > 0 ? `, at second ${offset}` : ''}`;
}

/** Minutes or seconds that are chosen. */
function marksText(at: readonly Span[], unit: string): string {
  const [span, ...more] = at;
  if (span && more.length === 0 && span.values.length > 1)
    return `${every(span.step, unit)} from ${unit} ${span.from} through ${span.to}`;
  const marks = unstepped(at);
  const many = marks.length > 1 || marks.some(({ values }) => values.length > 1);
  return `at ${unit}${many ? 's' : ''} ${list(marks.map((each) => through(each, String)))}`;
}

function hoursText(hours: readonly Span[]): string {
  const marks = unstepped(hours);
  const many = marks.length > 1 || marks.some(({ values }) => values.length > 1);
  return `hour${many ? 's' : ''} ${list(marks.map((each) => through(each, String)))}`;
}

/** Null: every day. */
function daysText(parts: CronParts): string | null {
  const { day, week, both } = dayRule(parts);
  const months = monthsText(parts.month);
  if (!day && !week) return months && `every day ${months.replace(/^of/, 'in')}`;
  const ofMonth = day && monthDaysText(day, parts.month);
  const ofWeek = week && weekText(week, months ?? 'of the month', months !== null && !(day && both));
  if (ofMonth === null || ofWeek === null) return ofMonth ?? ofWeek;
  if (!both) return `${ofMonth} and also ${ofWeek}`;
  return `${ofMonth}, if that is ${ofWeek.replace(/^(every|on) /, '').replaceAll(' and ', ' or ')}`;
}

function monthDaysText(day: CronPart, months: CronPart): string {
  const { special, spans } = day;
  const ofMonths = monthsText(months) ?? 'of the month';
  const [only] = months.spans;
  const [step] = spans;
  if (spans.length === 1 && special.length === 0 && step && step.step > 1 && step.values.length > 2)
    return `every ${step.step} days from day ${step.from} through ${step.to} ${ofMonths}`;
  const days = unstepped(spans);
  const plain = special.length === 0 && days.every(({ values }) => values.length === 1);
  if (plain && months.spans.length === 1 && only?.values.length === 1)
    return `on ${month(only.from)} ${list(days.map(({ from }) => String(from)))}`;
  const many = days.length > 1 || days.some(({ values }) => values.length > 1);
  const numbers = days.length === 0 ? [] : [`day${many ? 's' : ''} ${list(days.map((each) => through(each, String)))}`];
  return `on ${list([...numbers, ...special.map(specialText)])} ${ofMonths}`;
}

function specialText(day: MonthDay): string {
  switch (day.is) {
    case 'beforeLast':
      if (day.days === 0) return 'the last day';
      return day.days === 1 ? 'the second to last day' : `the day ${day.days} days before the last`;
    case 'lastWorkday':
      return 'the last weekday (Monday to Friday)';
    case 'nearestWorkday':
      return `the weekday (Monday to Friday) nearest to day ${day.day}`;
    case 'nth':
      return `the ${day.n === 'L' ? 'last' : NTH[day.n - 1]} ${weekday(day.weekday)}`;
  }
}

function weekText({ spans, special }: CronPart, ofMonths: string, named: boolean): string {
  const days = mondayFirst(spans);
  const [first] = days;
  const ranges = days.some(({ values }) => values.length > 1);
  const plain = days.length === 1 && first && !ranges ? `every ${weekday(first.from)}` : null;
  const text = plain ?? (ranges && days.length === 1 ? '' : 'on ') + list(days.map((each) => through(each, weekday)));
  const ofWeek = days.length === 0 ? [] : [named && special.length === 0 ? `${text} ${ofMonths.replace(/^of/, 'in')}` : text];
  const ofMonth = special.length === 0 ? [] : [`on ${list(special.map(specialText))} ${ofMonths}`];
  return [...ofWeek, ...ofMonth].join(' and ');
}

/** Null: every month. */
function monthsText({ spans, all }: CronPart): string | null {
  return all ? null : `of ${list(unstepped(spans).map((each) => through(each, month)))}`;
}

/** Null: every year. */
function yearsText({ spans, all }: CronPart): string | null {
  if (all) return null;
  return list(
    spans.map(({ from, to, step, values }) => {
      if (values.length === 1) return `in ${from}`;
      return step === 1 ? `from ${from} through ${to}` : `every ${step} years from ${from} through ${to}`;
    }),
  );
}

const every = (n: number, unit: string): string => (n === 1 ? `every ${unit}` : `every ${n} ${unit}s`);
const through = ({ from, to, values }: Span, name: (n: number) => string): string =>
  values.length === 1 ? name(from) : `${name(from)} through ${name(to)}`;

function list(all: readonly string[]): string {
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}
