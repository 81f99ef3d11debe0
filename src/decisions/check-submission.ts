import { LIMITS, ROUTINGS, SHARD_FAILURE_RULES, type SubmitTask } from '@evenkeel/sdk/contract';
import {
  anyText,
  checkMembers,
  decimal,
  Findings,
  flag,
  instant,
  integer,
  isObject,
  oneOf,
  pointerToken,
  type Rule,
  type Rules,
  rules,
  text,
  typeOf,
} from './field-rules.js';
import { said } from './field-sentences.js';
import { instantMs } from './rfc3339.js';
import { isWholeText } from './whole-text.js';

/** Bounds of a retry policy; the wire documentation states the same numbers. */
export const RETRY_BOUNDS = { maxRetries: 100, delayMs: 7 * 24 * 3600 * 1000, factor: 10, listLength: 100 } as const;
export const CLIENT_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
export const GROUP_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Letters, marks, digits, punctuation and symbols of any script, blanks only between them: nothing invisible. */
export const HANDLER = /^[\p{L}\p{M}\p{N}\p{P}\p{S}](?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u;

/** The name of a zone, or a tag of a worker. */
const place = anyText(LIMITS.nameLength);

const retries = integer(0, RETRY_BOUNDS.maxRetries);
const delay = integer(0, RETRY_BOUNDS.delayMs);
const kind: Rule = () => {};
const shardCount = integer(LIMITS.shardsMin, LIMITS.shardsMax);
interface RetryKind {
  members: Rules;
  required: readonly string[];
}
const RETRY_KINDS: ReadonlyMap<unknown, RetryKind> = new Map<unknown, RetryKind>([
  ['none', { members: rules({ kind }), required: [] }],
  ['fixed', { members: rules({ kind, maxRetries: retries, delayMs: delay }), required: ['maxRetries', 'delayMs'] }],
  [
    'exponential',
    {
      members: rules({
        kind,
        maxRetries: retries,
        delayMs: delay,
        factor: decimal(1, RETRY_BOUNDS.factor),
        maxDelayMs: delay,
        jitter: decimal(0, 1),
      }),
      required: ['maxRetries', 'delayMs'],
    },
  ],
  ['list', { members: rules({ kind, delaysMs: delays }), required: ['delaysMs'] }],
]);

/** The rule of each field of a submission; a job takes over those it shares. */
export const SUBMISSION_RULES: Rules = rules({
  handler: text(LIMITS.handlerLength, HANDLER, said('handler_form')),
  params: () => {},
  group: text(LIMITS.groupKeyLength, GROUP_KEY, said('group_key')),
  runAt: instant,
  delayMs: integer(0, LIMITS.maxDelayMs),
  priority: integer(1, 10),
  timeoutMs: integer(0, LIMITS.maxTimeoutMs),
  retry,
  repeatable: flag,
  routing: oneOf(ROUTINGS),
  shards,
  onShardFailure: oneOf(SHARD_FAILURE_RULES),
  routingKey: anyText(LIMITS.routingKeyLength),
  preferZone: place,
  workerTags,
  workerZone: place,
  metadata,
  callbackUrl: anyText(2048),
  clientRequestId: text(LIMITS.clientRequestIdLength, CLIENT_REQUEST_ID, said('request_id_form')),
  requireHandler: flag,
  dependsOn,
  expectedDurationMs: integer(0, LIMITS.maxTimeoutMs),
});
/** Every field a submission may state; the documented shape is tested against it. */
export const SUBMISSION_FIELDS: readonly string[] = [...SUBMISSION_RULES.keys()];

/** The findings of one field's rule alone. */
export function checkField(name: string, value: unknown): Findings['errors'] {
  const findings = new Findings();
  SUBMISSION_RULES.get(name)?.(value, `/${name}`, findings);
  return findings.errors;
}

export interface SubmissionContext {
  nowMs: number;
  /** A batch needs the id of every item to tell which of them it answers. */
  clientRequestIdRequired: boolean;
  /** Where the submission stands in the request: '' or `/items/<index>`. */
  pointer: string;
  /** Text of `params` as the client wrote it, if numbers in it must not pass through JavaScript's. */
  paramsText?: string;
}
export type SubmissionVerdict = { ok: true; task: SubmitTask; params: string } | { ok: false; errors: Findings['errors'] };

/** Checks one submission as parsed from JSON and renders its params for storage. States every rule that is broken, changes nothing. */
export function checkSubmission(body: unknown, context: SubmissionContext): SubmissionVerdict {
  const findings = new Findings();
  const { pointer } = context;
  if (!isObject(body)) {
    findings.add(pointer, 'wrong_type', said('object', { got: typeOf(body) }));
    return { ok: false, errors: findings.errors };
  }
  checkMembers(body, SUBMISSION_RULES, pointer, findings);
  if (!Object.hasOwn(body, 'handler')) findings.add(`${pointer}/handler`, 'required', said('required'));
  if (context.clientRequestIdRequired && !Object.hasOwn(body, 'clientRequestId')) {
    findings.add(`${pointer}/clientRequestId`, 'required', said('required_in_batch'));
  }
  if (Object.hasOwn(body, 'runAt') && Object.hasOwn(body, 'delayMs')) {
    findings.add(`${pointer}/delayMs`, 'excluded', said('excluded_by', { other: 'runAt' }));
  }
  checkSharding(body, pointer, findings);
  if (typeof body.runAt === 'string' && (instantMs(body.runAt) ?? 0) > context.nowMs + LIMITS.maxDelayMs) {
    findings.add(`${pointer}/runAt`, 'out_of_range', said('year_ahead'));
  }
  const params = context.paramsText ?? JSON.stringify(body.params ?? null);
  if (
    params.length > LIMITS.paramsBytes ||
    (params.length * 3 > LIMITS.paramsBytes && Buffer.byteLength(params) > LIMITS.paramsBytes)
  ) {
    findings.add(`${pointer}/params`, 'too_large', said('json_bytes', { max: LIMITS.paramsBytes }));
  }
  if (findings.errors.length > 0) return { ok: false, errors: findings.errors };
  return { ok: true, task: body as unknown as SubmitTask, params };
}

/** What becomes of the other shards can be stated only where there are shards. */
export function checkSharding(body: Record<string, unknown>, pointer: string, findings: Findings): void {
  if (Object.hasOwn(body, 'onShardFailure') && !Object.hasOwn(body, 'shards'))
    findings.add(`${pointer}/onShardFailure`, 'excluded', said('needs', { other: 'shards' }));
}

function shards(value: unknown, pointer: string, findings: Findings): void {
  if (typeof value === 'string') {
    if (value !== 'broadcast') findings.add(pointer, 'not_allowed', said('shards'));
  } else shardCount(value, pointer, findings);
}

function retry(value: unknown, pointer: string, findings: Findings): void {
  if (!isObject(value)) {
    findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
    return;
  }
  const policy = RETRY_KINDS.get(value.kind);
  if (!policy) {
    findings.add(`${pointer}/kind`, 'not_allowed', said('choice', { choices: [...RETRY_KINDS.keys()].join(', ') }));
    return;
  }
  checkMembers(value, policy.members, pointer, findings);
  for (const name of policy.required) {
    if (!Object.hasOwn(value, name))
      findings.add(`${pointer}/${name}`, 'required', said('required_for_kind', { kind: String(value.kind) }));
  }
}

function delays(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) {
    findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    return;
  }
  if (value.length < 1 || value.length > RETRY_BOUNDS.listLength) {
    findings.add(pointer, 'too_many', said('from_to_items', { min: 1, max: RETRY_BOUNDS.listLength, what: 'delays' }));
    return;
  }
  value.forEach((item, index) => {
    delay(item, `${pointer}/${index}`, findings);
  });
}

function workerTags(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) {
    findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    return;
  }
  if (value.length > LIMITS.workerTags)
    findings.add(pointer, 'too_many', said('at_most_items', { max: LIMITS.workerTags, what: 'tags' }));
  value.slice(0, LIMITS.workerTags).forEach((item, index) => {
    place(item, `${pointer}/${index}`, findings);
  });
}

function metadata(value: unknown, pointer: string, findings: Findings): void {
  if (!isObject(value)) {
    findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
    return;
  }
  const names = Object.keys(value);
  if (names.length > LIMITS.metadataPairs)
    findings.add(pointer, 'too_many', said('at_most_items', { max: LIMITS.metadataPairs, what: 'pairs' }));
  for (const name of names.slice(0, LIMITS.metadataPairs)) checkPair(name, value[name], pointer, findings);
}

/** Ids are opaque text here: whether there is such a task is decided where it is stored. */
const taskId = text(64, /^task_[0-9A-Z]+$/, said('task_id'));

function dependsOn(value: unknown, pointer: string, findings: Findings): void {
  if (!Array.isArray(value)) {
    findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    return;
  }
  if (value.length > LIMITS.dependsOn)
    findings.add(pointer, 'too_many', said('at_most_items', { max: LIMITS.dependsOn, what: 'ids' }));
  value.slice(0, LIMITS.dependsOn).forEach((item, index) => {
    taskId(item, `${pointer}/${index}`, findings);
  });
}

function checkPair(name: string, value: unknown, pointer: string, findings: Findings): void {
  const at = `${pointer}/${pointerToken(name)}`;
  if (name === '' || name.length > LIMITS.metadataKeyLength || name.includes('\0') || !isWholeText(name)) {
    findings.add(at, 'bad_format', said('storable_name', { max: LIMITS.metadataKeyLength }));
  }
  if (typeof value !== 'string') findings.add(at, 'wrong_type', said('string', { got: typeOf(value) }));
  else if (value.length > LIMITS.metadataValueLength) {
    findings.add(at, 'too_long', said('length', { max: LIMITS.metadataValueLength }));
  } else if (value.includes('\0') || !isWholeText(value)) findings.add(at, 'bad_format', said('storable'));
}
