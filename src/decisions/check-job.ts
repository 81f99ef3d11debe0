import { isDeepStrictEqual } from 'node:util';
import { type FieldError, LIMITS, type RetryPolicy, type ShardFailureRule } from '@evenkeel/sdk/contract';
import { checkSharding, GROUP_KEY, SUBMISSION_RULES } from './check-submission.js';
import {
  anyText,
  checkMembers,
  Findings,
  instant,
  integer,
  isObject,
  oneOf,
  type Rule,
  type Rules,
  rules,
  text,
  typeOf,
} from './field-rules.js';
import { said } from './field-sentences.js';
import type { JobDefinition } from './job-definition.js';
import { OVERLAPS, type Overlap } from './overlap.js';
import { checkSchedule, type ScheduleNote, type ScheduleVerdict } from './schedule/check-schedule.js';
import { MISFIRE_DEFAULTS, type MisfirePolicy } from './schedule/missed-fires.js';
import type { Schedule } from './schedule/schedule.js';
import { knownTimeZone } from './schedule/time-zone.js';

export const JOB_BOUNDS = {
  maxParallel: { min: 1, max: 1_000 },
  misfireWindowMs: { min: 0, max: 366 * 24 * 3600 * 1000 },
  tags: 16,
  tagLength: 64,
  ownerLength: 128,
  descriptionLength: 4_096,
  reasonLength: 255,
  upstreams: 100,
} as const;
export const MISFIRES = ['fire_once', 'skip', 'fire_all'] as const;
export const JOB_DEFAULTS = {
  overlap: 'skip',
  maxParallel: 1,
  misfire: MISFIRE_DEFAULTS.policy,
  misfireWindowMs: MISFIRE_DEFAULTS.windowMs,
  timeZone: 'UTC',
} as const;
/** The kinds that wait for other jobs. */
const WAITING_KINDS = ['upstream', 'cron', 'every'];

const asSubmitted = (name: string): Rule => SUBMISSION_RULES.get(name) as Rule;
const ROUTING_FIELDS = ['routing', 'routingKey', 'preferZone', 'workerTags', 'workerZone'] as const;
const SHARED = [
  'handler',
  'params',
  'priority',
  'timeoutMs',
  'retry',
  'repeatable',
  ...ROUTING_FIELDS,
  'shards',
  'onShardFailure',
  'metadata',
  'callbackUrl',
];
const NOTHING: Rule = () => {};

const DEFINITION: Record<string, Rule> = {
  ...Object.fromEntries(SHARED.map((name) => [name, asSubmitted(name)])),
  schedule: NOTHING,
  upstreams,
  timeZone: zone,
  overlap: oneOf(OVERLAPS),
  maxParallel: integer(JOB_BOUNDS.maxParallel.min, JOB_BOUNDS.maxParallel.max),
  misfire: oneOf(MISFIRES),
  misfireWindowMs: integer(JOB_BOUNDS.misfireWindowMs.min, JOB_BOUNDS.misfireWindowMs.max),
  owner: anyText(JOB_BOUNDS.ownerLength),
  tags,
  description: anyText(JOB_BOUNDS.descriptionLength),
};
const NEW_JOB: Rules = rules({
  ...DEFINITION,
  key: text(LIMITS.groupKeyLength, GROUP_KEY, said('key_form')),
  group: asSubmitted('group'),
  clientRequestId: asSubmitted('clientRequestId'),
});
const CHANGED_JOB: Rules = rules({ ...DEFINITION, version: integer(1, 2_147_483_647) });
const TRIGGER: Rules = rules({
  params: NOTHING,
  force: SUBMISSION_RULES.get('requireHandler') as Rule,
  clientRequestId: asSubmitted('clientRequestId'),
});
const PAUSE: Rules = rules({ reason: anyText(JOB_BOUNDS.reasonLength) });
const RESTORE: Rules = rules({ version: integer(1, 2_147_483_647), restore: integer(1, 2_147_483_647) });
const BACKFILL: Rules = rules({
  from: instant,
  until: instant,
  dryRun: SUBMISSION_RULES.get('requireHandler') as Rule,
  priority: asSubmitted('priority'),
  maxParallel: integer(JOB_BOUNDS.maxParallel.min, JOB_BOUNDS.maxParallel.max),
  clientRequestId: asSubmitted('clientRequestId'),
});
/** Every field of each request; the documented shapes are tested against them. */
export const JOB_FIELDS = {
  create: [...NEW_JOB.keys()],
  change: [...CHANGED_JOB.keys()],
  trigger: [...TRIGGER.keys()],
  pause: [...PAUSE.keys()],
  restore: [...RESTORE.keys()],
  backfill: [...BACKFILL.keys()],
};

interface Sharding {
  shards?: number | 'broadcast';
  onShardFailure?: ShardFailureRule;
}

export interface JobContext {
  nowMs: number;
  /** The zone of a job that names none; absent: a cron expression must then name its own. */
  defaultTimeZone?: string;
  /** Text of `params` as the client wrote it, if numbers in it must not pass through JavaScript's. */
  paramsText?: string;
  /** What an edited job has: stated again it may be over, for then nothing of it changes. */
  current?: Schedule;
}
export type JobVerdict =
  | { ok: true; definition: JobDefinition; notes: ScheduleNote[] }
  | { ok: false; errors: FieldError[]; scheduleOnly: boolean };

/** Checks a job to be created, its definition and its names. States every rule that is broken. */
export const checkNewJob = (body: unknown, context: JobContext): JobVerdict =>
  check(body, NEW_JOB, ['key', 'handler', 'schedule'], context);

/** Checks an edit: the whole definition and the version it was made from. */
export const checkChangedJob = (body: unknown, context: JobContext): JobVerdict =>
  check(body, CHANGED_JOB, ['version', 'handler', 'schedule'], context);

export function checkTrigger(body: Record<string, unknown>, paramsText?: string): FieldError[] {
  const findings = new Findings();
  checkMembers(body, TRIGGER, '', findings);
  checkParamsSize(paramsText ?? JSON.stringify(body.params ?? null), findings);
  return findings.errors;
}

export function checkPause(body: Record<string, unknown>): FieldError[] {
  const findings = new Findings();
  checkMembers(body, PAUSE, '', findings);
  return findings.errors;
}

export const checkRestore = (body: Record<string, unknown>): FieldError[] => checkAll(body, RESTORE, ['version', 'restore']);
export const checkBackfill = (body: Record<string, unknown>): FieldError[] => checkAll(body, BACKFILL, ['from', 'until']);

function checkAll(body: Record<string, unknown>, table: Rules, required: readonly string[]): FieldError[] {
  const findings = new Findings();
  checkMembers(body, table, '', findings);
  for (const name of required) if (!Object.hasOwn(body, name)) findings.add(`/${name}`, 'required', said('required'));
  return findings.errors;
}

function check(body: unknown, table: Rules, required: string[], context: JobContext): JobVerdict {
  const { paramsText, defaultTimeZone } = context;
  const findings = new Findings();
  if (!isObject(body)) {
    findings.add('', 'wrong_type', said('object', { got: typeOf(body) }));
    return { ok: false, errors: findings.errors, scheduleOnly: false };
  }
  checkMembers(body, table, '', findings);
  checkSharding(body, '', findings);
  for (const name of required) if (!Object.hasOwn(body, name)) findings.add(`/${name}`, 'required', said('required'));
  const params = paramsText ?? JSON.stringify(body.params ?? null);
  checkParamsSize(params, findings);
  if (body.schedule === undefined) return { ok: false, errors: findings.errors, scheduleOnly: false };
  // One that is refused is not also missed in the schedule.
  const zone = body.timeZone === undefined ? defaultTimeZone : (statedZone(body.timeZone) ?? JOB_DEFAULTS.timeZone);
  const verdict = scheduleVerdict(body.schedule, zone, context);
  if (!verdict.ok) for (const { pointer, code, ...words } of verdict.errors) findings.add(pointer, code, words);
  else checkUpstreams(body.upstreams, verdict.schedule.kind, findings);
  if (!verdict.ok || findings.errors.length > 0) {
    const scheduleOnly = findings.errors.every(({ pointer }) => /^\/(schedule|timeZone)(\/|$)/.test(pointer));
    return { ok: false, errors: findings.errors, scheduleOnly };
  }
  return {
    ok: true,
    definition: definitionOf(body, params, verdict.schedule, zone ?? JOB_DEFAULTS.timeZone),
    notes: verdict.notes,
  };
}

const statedZone = (stated: unknown): string | null => (typeof stated === 'string' ? knownTimeZone(stated) : null);

function scheduleVerdict(stated: unknown, defaultTimeZone: string | undefined, { nowMs, current }: JobContext): ScheduleVerdict {
  const context = { pointer: '/schedule', defaultTimeZone };
  const kept = current && checkSchedule(stated, context);
  return kept?.ok && isDeepStrictEqual(kept.schedule, current) ? kept : checkSchedule(stated, { ...context, nowMs });
}

function definitionOf(body: Record<string, unknown>, params: string, schedule: Schedule, zone: string): JobDefinition {
  const stated = body as Partial<JobDefinition> & { retry?: RetryPolicy; repeatable?: boolean } & Sharding;
  const numbers = body as { priority?: number; timeoutMs?: number };
  return {
    handler: body.handler as string,
    params,
    schedule,
    timeZone: schedule.kind === 'cron' ? schedule.timeZone : zone,
    policies: {
      ...(numbers.priority === undefined ? {} : { priority: numbers.priority }),
      ...(numbers.timeoutMs === undefined ? {} : { timeoutMs: numbers.timeoutMs }),
      ...(stated.retry ? { retry: stated.retry } : {}),
      ...(stated.repeatable === undefined ? {} : { repeatable: stated.repeatable }),
      ...Object.fromEntries(ROUTING_FIELDS.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))),
      ...(stated.shards !== undefined ? { shards: stated.shards } : {}),
      ...(stated.onShardFailure === 'stop' ? { onShardFailure: 'stop' as const } : {}),
    },
    overlap: (body.overlap as Overlap | undefined) ?? JOB_DEFAULTS.overlap,
    maxParallel: stated.maxParallel ?? JOB_DEFAULTS.maxParallel,
    misfire: (body.misfire as MisfirePolicy['policy'] | undefined) ?? JOB_DEFAULTS.misfire,
    misfireWindowMs: stated.misfireWindowMs ?? JOB_DEFAULTS.misfireWindowMs,
    ...(stated.upstreams?.length ? { upstreams: [...new Set(stated.upstreams)] } : {}),
    metadata: stated.metadata ?? null,
    callbackUrl: stated.callbackUrl ?? null,
    owner: stated.owner ?? null,
    tags: [...new Set(stated.tags ?? [])],
    description: stated.description ?? null,
  };
}

function checkParamsSize(params: string, findings: Findings): void {
  if (params.length > LIMITS.paramsBytes || Buffer.byteLength(params) > LIMITS.paramsBytes)
    findings.add('/params', 'too_large', said('json_bytes', { max: LIMITS.paramsBytes }));
}

export function zone(value: unknown, pointer: string, findings: Findings): void {
  if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
  else if (knownTimeZone(value) === null) findings.add(pointer, 'unknown_timezone', said('time_zone'));
}

function tags(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) {
    findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    return;
  }
  if (value.length > JOB_BOUNDS.tags)
    findings.add(pointer, 'too_many', said('at_most_items', { max: JOB_BOUNDS.tags, what: 'tags' }));
  const tag = anyText(JOB_BOUNDS.tagLength);
  value.slice(0, JOB_BOUNDS.tags).forEach((item, index) => {
    tag(item, `${pointer}/${index}`, findings);
  });
}

function upstreams(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) {
    findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    return;
  }
  if (value.length > JOB_BOUNDS.upstreams)
    findings.add(pointer, 'too_many', said('at_most_items', { max: JOB_BOUNDS.upstreams, what: 'jobs' }));
  const named = text(LIMITS.groupKeyLength, GROUP_KEY, said('job_name'));
  value.slice(0, JOB_BOUNDS.upstreams).forEach((item, index) => {
    named(item, `${pointer}/${index}`, findings);
  });
}

function checkUpstreams(stated: unknown, kind: string, findings: Findings): void {
  const some = Array.isArray(stated) && stated.length > 0;
  if (kind === 'upstream' && !some) findings.add('/upstreams', 'required', said('required_for_kind', { kind: 'upstream' }));
  if (some && !WAITING_KINDS.includes(kind))
    findings.add('/upstreams', 'excluded', said('kinds_only', { kinds: WAITING_KINDS.join(', ') }));
}
