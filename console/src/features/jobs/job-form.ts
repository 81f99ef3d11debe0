import type { JobDefinitionInput, JobSchedule } from '@evenkeel/sdk/contract';
import type { ConsoleJobInput, JobDefinitionView } from '../../../../src/admin/contract/jobs.js';
import { type RetryFields, retryFields, retryPolicyOf } from './retry-fields.js';

/**
 * The editor's fields. Parts of a definition it does not show are kept in `rest` and go back as they came; what is null or `default` the
 * job does not state, so that its group decides.
 */
export interface JobForm extends RetryFields {
  key: string;
  group: string;
  handler: string;
  paramsText: string;
  kind: JobSchedule['kind'];
  expression: string;
  everySeconds: number;
  delaySeconds: number;
  at: string;
  dstGap: 'first_valid' | 'skip';
  dstOverlap: 'once' | 'twice';
  startAt: string;
  endAt: string;
  jitterSeconds: number;
  timeZone: string;
  overlap: NonNullable<JobDefinitionInput['overlap']>;
  maxParallel: number;
  misfire: NonNullable<JobDefinitionInput['misfire']>;
  misfireWindowSeconds: number;
  priority: number | null;
  timeoutSeconds: number | null;
  repeatable: 'default' | 'yes' | 'no';
  routing: string | undefined;
  /** Keys or ids of jobs it waits for. */
  upstreams: string[];
  eventName: string;
  shardKind: 'none' | 'number' | 'broadcast';
  shardCount: number;
  onShardFailure: 'default' | 'continue' | 'stop';
  workerTags: string[];
  workerZone: string;
  callbackUrl: string;
  owner: string;
  tags: string[];
  description: string;
  /** Members of the definition, and of its schedule, without a field here. */
  rest: Record<string, unknown>;
  restSchedule: Record<string, unknown>;
}

/** A new job, but for its zone: that of the installation. */
export const EMPTY_FORM: JobForm = {
  key: '',
  group: 'default',
  handler: '',
  paramsText: '{}',
  kind: 'cron',
  expression: '0 3 * * *',
  everySeconds: 300,
  delaySeconds: 60,
  at: '',
  dstGap: 'first_valid',
  dstOverlap: 'once',
  startAt: '',
  endAt: '',
  jitterSeconds: 0,
  timeZone: '',
  overlap: 'skip',
  maxParallel: 1,
  misfire: 'fire_once',
  misfireWindowSeconds: 600,
  priority: null,
  timeoutSeconds: null,
  retryKind: 'default',
  maxRetries: 3,
  retrySeconds: 60,
  retryList: '10, 30, 60',
  repeatable: 'default',
  routing: undefined,
  upstreams: [],
  eventName: '',
  shardKind: 'none',
  shardCount: 4,
  onShardFailure: 'default',
  workerTags: [],
  workerZone: '',
  callbackUrl: '',
  owner: '',
  tags: [],
  description: '',
  rest: {},
  restSchedule: {},
};

const SHOWN = new Set([
  'handler',
  'params',
  'paramsText',
  'schedule',
  'timeZone',
  'overlap',
  'maxParallel',
  'misfire',
  'misfireWindowMs',
  'priority',
  'timeoutMs',
  'retry',
  'repeatable',
  'routing',
  'upstreams',
  'shards',
  'onShardFailure',
  'workerTags',
  'workerZone',
  'callbackUrl',
  'owner',
  'tags',
  'description',
]);
/** Of another kind a job cannot wait for jobs. */
export const WAITING_KINDS = new Set<JobForm['kind']>(['upstream', 'cron', 'every']);

export function formOf(definition: JobDefinitionView, named: { key: string; group: string }): JobForm {
  const { schedule, retry } = definition;
  const form: JobForm = {
    ...EMPTY_FORM,
    ...named,
    handler: definition.handler,
    paramsText: definition.paramsText,
    kind: schedule.kind,
    startAt: schedule.startAt ?? '',
    endAt: schedule.endAt ?? '',
    jitterSeconds: (schedule.jitterMs ?? 0) / 1_000,
    timeZone: definition.timeZone ?? EMPTY_FORM.timeZone,
    overlap: definition.overlap ?? 'skip',
    maxParallel: definition.maxParallel ?? 1,
    misfire: definition.misfire ?? 'fire_once',
    misfireWindowSeconds: (definition.misfireWindowMs ?? 600_000) / 1_000,
    priority: definition.priority ?? null,
    timeoutSeconds: definition.timeoutMs === undefined ? null : definition.timeoutMs / 1_000,
    repeatable: definition.repeatable === undefined ? 'default' : definition.repeatable ? 'yes' : 'no',
    routing: definition.routing ?? undefined,
    ...placeFields(definition),
    owner: definition.owner ?? '',
    tags: definition.tags ?? [],
    description: definition.description ?? '',
    rest: Object.fromEntries(
      Object.entries(definition).filter(([name, value]) => !SHOWN.has(name) && value !== null && value !== undefined),
    ),
  };
  if (schedule.kind === 'event') form.eventName = schedule.name;
  if (schedule.kind === 'cron') {
    form.expression = schedule.expression;
    form.timeZone = schedule.timeZone ?? form.timeZone;
    form.dstGap = schedule.dst?.gap ?? 'first_valid';
    form.dstOverlap = schedule.dst?.overlap ?? 'once';
  }
  if (schedule.kind === 'every') {
    form.everySeconds = schedule.everyMs / 1_000;
    form.restSchedule = schedule.anchorAt ? { anchorAt: schedule.anchorAt } : {};
  }
  if (schedule.kind === 'after') form.delaySeconds = schedule.delayMs / 1_000;
  if (schedule.kind === 'once') form.at = schedule.at;
  return retry ? { ...form, ...retryFields(retry), exactRetry: retry } : form;
}

/** What it waits for, in how many parts and where it runs, and who is told. */
function placeFields({ upstreams, shards, onShardFailure, ...others }: JobDefinitionView): Partial<JobForm> {
  return {
    upstreams: upstreams ?? [],
    shardKind: shards === undefined || shards === null ? 'none' : shards === 'broadcast' ? 'broadcast' : 'number',
    ...(typeof shards === 'number' ? { shardCount: shards } : {}),
    onShardFailure: onShardFailure ?? 'default',
    workerTags: others.workerTags ?? [],
    workerZone: others.workerZone ?? '',
    callbackUrl: others.callbackUrl ?? '',
  };
}

export function scheduleOf(form: JobForm): JobSchedule {
  const bounds = {
    ...(form.startAt ? { startAt: form.startAt } : {}),
    ...(form.endAt ? { endAt: form.endAt } : {}),
    ...(form.jitterSeconds > 0 ? { jitterMs: Math.round(form.jitterSeconds * 1_000) } : {}),
  };
  switch (form.kind) {
    case 'cron':
      return {
        kind: 'cron',
        expression: form.expression.trim(),
        timeZone: form.timeZone,
        dst: { gap: form.dstGap, overlap: form.dstOverlap },
        ...bounds,
      };
    case 'every':
      return { kind: 'every', everyMs: Math.round(form.everySeconds * 1_000), ...anchorOf(form), ...bounds };
    case 'after':
      return { kind: 'after', delayMs: Math.round(form.delaySeconds * 1_000), ...bounds };
    case 'once':
      return { kind: 'once', at: form.at, ...bounds };
    case 'event':
      return { kind: 'event', name: form.eventName.trim(), ...bounds };
    case 'upstream':
    case 'manual':
      return { kind: form.kind, ...bounds };
  }
}

const anchorOf = ({ restSchedule: { anchorAt } }: JobForm) => (typeof anchorAt === 'string' ? { anchorAt } : {});

export function definitionOf(form: JobForm): ConsoleJobInput {
  const retry = retryPolicyOf(form);
  return {
    ...form.rest,
    ...(form.upstreams.length > 0 && WAITING_KINDS.has(form.kind) ? { upstreams: form.upstreams } : {}),
    ...(form.shardKind === 'none' ? {} : { shards: form.shardKind === 'number' ? form.shardCount : 'broadcast' }),
    ...(form.onShardFailure === 'default' ? {} : { onShardFailure: form.onShardFailure }),
    ...(form.workerTags.length > 0 ? { workerTags: form.workerTags } : {}),
    ...(form.workerZone ? { workerZone: form.workerZone } : {}),
    ...(form.callbackUrl ? { callbackUrl: form.callbackUrl } : {}),
    handler: form.handler,
    paramsText: form.paramsText,
    schedule: scheduleOf(form),
    timeZone: form.timeZone,
    overlap: form.overlap,
    maxParallel: form.maxParallel,
    misfire: form.misfire,
    misfireWindowMs: Math.round(form.misfireWindowSeconds * 1_000),
    ...(form.priority === null ? {} : { priority: form.priority }),
    ...(form.timeoutSeconds === null ? {} : { timeoutMs: Math.round(form.timeoutSeconds * 1_000) }),
    ...(retry ? { retry } : {}),
    ...(form.repeatable === 'default' ? {} : { repeatable: form.repeatable === 'yes' }),
    ...(form.routing ? { routing: form.routing as never } : {}),
    ...(form.owner ? { owner: form.owner } : {}),
    tags: form.tags,
    ...(form.description ? { description: form.description } : {}),
  };
}
