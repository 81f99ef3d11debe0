import type { FieldError } from '@evenkeel/sdk/contract';
import {
  anyText,
  checkMembers,
  Findings,
  instant,
  integer,
  isObject,
  oneOf,
  type Rule,
  rules,
  text,
  typeOf,
} from '../field-rules.js';
import { said } from '../field-sentences.js';
import { instantMs } from '../rfc3339.js';
import { CRON_DIALECTS, type CronDialect, type CronExpression, readCron } from './cron-expression.js';
import { CronError } from './cron-sentences.js';
import { nextFire } from './next-fire.js';
import { type CronSchedule, DEFAULT_DST, SCHEDULE_BOUNDS, type Schedule } from './schedule.js';
import { knownTimeZone } from './time-zone.js';
import { isWithin } from './window.js';

export interface ScheduleContext {
  /** Where the schedule stands in the request: '' or `/schedule`. */
  pointer?: string;
  /** The zone of a cron schedule that names none. */
  defaultTimeZone?: string;
  /** If given, a schedule of times must have a fire after this; otherwise one at any time since 1970. */
  nowMs?: number;
}
/** Something a person should know of what was accepted. */
export interface ScheduleNote {
  code: 'quartz_rewritten' | 'either_day';
  message: string;
}
export type ScheduleVerdict = { ok: true; schedule: Schedule; notes: ScheduleNote[] } | { ok: false; errors: FieldError[] };

const bounded = ({ min, max }: { min: number; max: number }): Rule => integer(min, max);
const kind: Rule = () => {};
export const eventName = text(SCHEDULE_BOUNDS.eventNameLength, /^\S(?:.*\S)?$/u, said('event_name_form'));
const OF_ALL = { kind, startAt: instant, endAt: instant, jitterMs: bounded(SCHEDULE_BOUNDS.jitterMs) };
const dstRules = rules({ gap: oneOf(['first_valid', 'skip']), overlap: oneOf(['once', 'twice']) });

const KINDS = new Map<unknown, { members: Record<string, Rule>; required: readonly string[] }>([
  ['cron', { members: { expression, cronDialect: oneOf(CRON_DIALECTS), timeZone, dst }, required: ['expression', 'timeZone'] }],
  ['every', { members: { everyMs: bounded(SCHEDULE_BOUNDS.everyMs), anchorAt: instant }, required: ['everyMs'] }],
  ['after', { members: { delayMs: bounded(SCHEDULE_BOUNDS.delayMs) }, required: ['delayMs'] }],
  ['once', { members: { at: instant }, required: ['at'] }],
  ['event', { members: { name: eventName }, required: ['name'] }],
  ['upstream', { members: {}, required: [] }],
  ['manual', { members: {}, required: [] }],
]);

export const SCHEDULE_KINDS = [...KINDS.keys()] as Schedule['kind'][];

/** Checks a schedule as parsed from JSON and gives the form that is stored. States every rule that is broken. */
export function checkSchedule(input: unknown, context: ScheduleContext = {}): ScheduleVerdict {
  const { pointer = '', nowMs } = context;
  const findings = new Findings();
  if (!isObject(input)) {
    findings.add(pointer, 'wrong_type', said('object', { got: typeOf(input) }));
    return { ok: false, errors: findings.errors };
  }
  const zoneless = input.kind === 'cron' && input.timeZone === undefined;
  const body = zoneless ? { ...input, timeZone: context.defaultTimeZone } : input;
  checkShape(body, pointer, findings);
  const notes: ScheduleNote[] = [];
  const cron = body.kind === 'cron' ? readExpression(body, pointer, findings, notes) : null;
  if (findings.errors.length > 0) return { ok: false, errors: findings.errors };
  const schedule = normalised(body, cron);
  checkWindow(schedule, pointer, findings);
  const decides = findings.errors.length === 0 ? whyNever(schedule, nowMs) : null;
  if (decides !== null) {
    const when = nowMs === undefined ? 'at any time' : 'from now on';
    findings.add(`${pointer}/${decides}`, 'never_fires', `never fires ${when}`);
  }
  return findings.errors.length > 0 ? { ok: false, errors: findings.errors } : { ok: true, schedule, notes };
}

function checkShape(body: Record<string, unknown>, pointer: string, findings: Findings): void {
  const shape = KINDS.get(body.kind);
  if (!shape) {
    findings.add(`${pointer}/kind`, 'not_allowed', said('choice', { choices: [...KINDS.keys()].join(', ') }));
    return;
  }
  const stated = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  checkMembers(stated, rules({ ...OF_ALL, ...shape.members }), pointer, findings);
  for (const name of shape.required) {
    if (stated[name] === undefined)
      findings.add(`${pointer}/${name}`, 'required', said('required_for_kind', { kind: String(body.kind) }));
  }
}

function readExpression(
  { expression: written, cronDialect = 'unix' }: Record<string, unknown>,
  pointer: string,
  findings: Findings,
  notes: ScheduleNote[],
): CronExpression | null {
  if (typeof written !== 'string' || findings.errors.length > 0) return null;
  try {
    const cron = readCron(written, cronDialect as CronDialect);
    if (cronDialect === 'quartz') {
      notes.push({ code: 'quartz_rewritten', message: `Quartz counts weekdays from 1 = SUN; stored as ${cron.normalised}` });
    }
    if (!cron.dayOfMonth.unrestricted && !cron.dayOfWeek.unrestricted) {
      notes.push({ code: 'either_day', message: 'fires on days that match the day of month or the day of week, as cron does' });
    }
    return cron;
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    findings.add(`${pointer}/expression`, error.code, error.said);
    return null;
  }
}

function normalised(body: Record<string, unknown>, cron: CronExpression | null): Schedule {
  const { cronDialect: _, ...members } = body;
  const schedule: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    schedule[name] = INSTANTS.has(name) ? new Date(instantMs(value as string) as number).toISOString() : value;
  }
  if (cron) {
    schedule.expression = cron.normalised;
    schedule.timeZone = knownTimeZone(body.timeZone as string);
    schedule.dst = { ...DEFAULT_DST, ...(body.dst as Partial<CronSchedule['dst']> | undefined) };
  }
  return schedule as unknown as Schedule;
}

const INSTANTS: ReadonlySet<string> = new Set(['startAt', 'endAt', 'anchorAt', 'at']);
/** The kinds that have times of their own, and the field that decides them. `after` always has a first fire but for its window. */
const DECIDES = { cron: 'expression', every: 'everyMs', after: 'delayMs', once: 'at' } as const;
type Timed = Extract<Schedule, { kind: keyof typeof DECIDES }>;
const isTimed = (schedule: Schedule): schedule is Timed => Object.hasOwn(DECIDES, schedule.kind);

/** The field for which it has no fire any more; null if it may. */
function whyNever(schedule: Schedule, nowMs: number | undefined): string | null {
  if (isTimed(schedule)) return nextFire(schedule, nowMs ?? -1) === null ? DECIDES[schedule.kind] : null;
  const isOver = schedule.kind !== 'manual' && nowMs !== undefined && !isWithin({ endAt: schedule.endAt }, nowMs);
  return isOver ? 'endAt' : null;
}

function checkWindow({ startAt, endAt }: Schedule, pointer: string, findings: Findings): void {
  if (startAt !== undefined && endAt !== undefined && endAt < startAt) {
    findings.add(`${pointer}/endAt`, 'out_of_range', 'must not be before startAt');
  }
}

/** A blank one is left to the reader of expressions, which says what is expected instead. */
function expression(value: unknown, pointer: string, findings: Findings): void {
  if (typeof value === 'string' && value.trim() === '') return;
  anyText(SCHEDULE_BOUNDS.expressionLength)(value, pointer, findings);
}

function timeZone(value: unknown, pointer: string, findings: Findings): void {
  if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
  else if (knownTimeZone(value) === null) {
    findings.add(pointer, 'unknown_timezone', said('time_zone'));
  }
}

function dst(value: unknown, pointer: string, findings: Findings): void {
  if (isObject(value)) checkMembers(value, dstRules, pointer, findings);
  else findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
}
