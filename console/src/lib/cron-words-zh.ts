import { type CronPart, type CronParts, dayRule, type MonthDay } from './cron-parts';
import { mondayFirst, type Span, unstepped } from './cron-spans';
import { type CronTime, type CronWords, isEach } from './cron-time';

const WEEKDAYS = ['日', '一', '二', '三', '四', '五', '六'];
const NTH = ['一', '二', '三', '四', '五'];
const UNITS = { second: '秒', minute: '分钟', hour: '小时' } as const;

const weekday = (n: number): string => `周${WEEKDAYS[n % 7]}`;

/** As one says it: the days first, then the time: "每周一 09:00". */
export const CHINESE: CronWords = {
  sentence(parts, time) {
    const days = daysText(parts);
    const text = timeText(time);
    const clock = /^\d/.test(text);
    if (days === null) return spaced(clock ? `每天${text}` : text);
    if (!clock) return spaced(`${days}，${text}`);
    return spaced(`${days}${/每 \d+ 天$/.test(days) ? '的' : ''}${text}`);
  },
};

/** A blank between figures and Chinese, and nowhere else, least of all after a comma. */
const spaced = (text: string): string =>
  text
    .replace(/(?<=\d)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\d)/gu, ' ')
    .replace(/(?<=\p{Script=Han}) +(?=\p{Script=Han})|(?<=[，、]) +/gu, '');

function timeText(time: CronTime): string {
  switch (time.is) {
    case 'times':
      return list(time.at);
    case 'every': {
      const stretches = list(time.stretches.map(([from, to]) => `${from} 至 ${to}`));
      if (stretches !== '') return `${stretches}，${every(time.n, time.unit)}一次`;
      return every(time.n, time.unit) + (time.offset > 0 ? `，在第 ${time.offset} 秒` : '');
    }
    case 'within':
      return withinText(time);
    case 'seconds':
      return `${timeText(time.minutes)}，在该分钟内${timeText(time.seconds).replace(/^每分钟的/, '的')}`;
  }
}

function withinText({ unit, at, hours, offset }: Extract<CronTime, { is: 'within' }>): string {
  const [span, ...more] = at;
  const name = unit === 'second' ? '秒' : '分钟';
  const past = unit === 'second' ? '每分钟' : hours === null ? '每小时' : hoursText(hours);
  const second = offset > 0 ? `的第 ${offset} 秒` : '';
  if (isEach(at)) return `${past}，每${name}一次${second && `，在${second.slice(1)}`}`;
  if (span && more.length === 0 && span.values.length > 1)
    return `${past}的第 ${span.from} 至 ${span.to} ${name}，${every(span.step, unit)}一次${second && `，在${second.slice(1)}`}`;
  const marks = unstepped(at);
  const said = marks.map((each) => through(each, String));
  const ranges = marks.some(({ values }) => values.length > 1);
  return `${past}的第 ${ranges ? said.join('、') : list(said)} ${name}${second}`;
}

const hoursText = (hours: readonly Span[]): string =>
  list(unstepped(hours).map(({ from, to, values }) => (values.length === 1 ? `${from} 点` : `${from} 点至 ${to} 点`)));

/** Null: every day. */
function daysText(parts: CronParts): string | null {
  const { day, week, both } = dayRule(parts);
  const [years, months] = [yearsText(parts.year), monthsText(parts.month)];
  const span = months === null ? (years ?? '') : `${years ?? '每年'} ${months}`;
  if (!day && !week) {
    if (span === '') return null;
    return months === null ? `${span}每天` : `${span}的每天`;
  }
  const ofMonth = day && `${inMonths(span, months)}${monthDaysText(day)}`;
  const ofWeek = week && weekText(week, span, months);
  if (ofMonth === null || ofWeek === null) return ofMonth ?? ofWeek;
  return week && both ? `${ofMonth}中的${weekText(week, '', '').replace(/^的/, '')}` : `${ofMonth}以及${ofWeek}`;
}

/** "每月", "每年 2 月 ", "每年 1 月和 7 月的", "2027 年每月". */
const inMonths = (span: string, months: string | null): string => {
  if (months === null) return `${span}每月`;
  return /[、至和]/.test(months) ? `${span}的` : span;
};

function monthDaysText(day: CronPart): string {
  const { special, spans } = day;
  const [step] = spans;
  if (spans.length === 1 && special.length === 0 && step && step.step > 1 && step.values.length > 2)
    return `${step.from} 日至 ${step.to} 日每 ${step.step} 天`;
  const days = unstepped(spans).map((each) => through(each, (n) => `${n} 日`));
  return list([...days, ...special.map(specialText)]);
}

function specialText(day: MonthDay): string {
  switch (day.is) {
    case 'beforeLast':
      return day.days === 0 ? '最后一天' : `倒数第 ${day.days + 1} 天`;
    case 'lastWorkday':
      return '最后一个工作日（周一至周五）';
    case 'nearestWorkday':
      return `离 ${day.day} 日最近的工作日（周一至周五）`;
    case 'nth':
      return `${day.n === 'L' ? '最后一' : `第${NTH[day.n - 1]}`}个${weekday(day.weekday)}`;
  }
}

function weekText({ spans, special }: CronPart, span: string, months: string | null): string {
  const days = mondayFirst(spans);
  const [first] = days;
  const one = months === null && days.length === 1 && first?.values.length === 1;
  const names = list(days.map((each) => through(each, weekday)));
  const ofWeek = days.length === 0 ? [] : [`${span}${months === null ? '' : '的'}${one ? '每' : ''}${names}`];
  const ofMonth = special.length === 0 ? [] : [`${span}${months === null ? '每月' : '的'}${list(special.map(specialText))}`];
  return [...ofWeek, ...ofMonth].join('以及');
}

/** Null: every month. */
function monthsText({ spans, all }: CronPart): string | null {
  return all ? null : list(unstepped(spans).map((each) => through(each, (n) => `${((n - 1) % 12) + 1} 月`)));
}

/** Null: every year. A step of years is set off from the days in them. */
function yearsText({ spans, all }: CronPart): string | null {
  if (all) return null;
  const isStep = ({ step, values }: Span) => step > 1 && values.length > 1;
  const said = spans.map((span) => {
    const { from, to, step, values } = span;
    if (values.length === 1) return `${from} 年`;
    return `${from} 年至 ${to} 年${isStep(span) ? `每 ${step} 年` : ''}`;
  });
  return list(said) + (spans.some(isStep) ? '，' : '');
}

const every = (n: number, unit: keyof typeof UNITS): string => (n === 1 ? `每${UNITS[unit]}` : `每隔 ${n} ${UNITS[unit]}`);
const through = ({ from, to, values }: Span, name: (n: number) => string): string =>
  values.length === 1 ? name(from) : `${name(from)} 至 ${name(to)}`;

function list(all: readonly string[]): string {
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join('、')}和${last}`;
}
