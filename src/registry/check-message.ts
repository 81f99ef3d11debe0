import {
  type AttemptPhase,
  type AttemptReport,
  type AttemptResult,
  type DeregisterRequest,
  type FieldError,
  type HeartbeatRequest,
  LIMITS,
  LOG_LEVELS,
  type LogsRequest,
  RESULT_OUTCOMES,
  type RegisterRequest,
  type ResultsRequest,
  type WorkerFigures,
} from '@evenkeel/sdk/contract';
import { FieldCheck } from './field-check.js';

/**
 * Strict JSON types of what workers send. Unknown fields are ignored, so that a newer worker may talk to an older centre; a known
 * field of the wrong type refuses the message and is named. Pure; `errors` empty means the message has its type.
 */
export type Checked<T> = { message: T; errors: [] } | { message: null; errors: FieldError[] };

const INCARNATION = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const PHASES: readonly AttemptPhase[] = ['queued', 'running', 'reporting'];
const MAX_SLOTS = 100_000;
/** The last one that a Date holds: a later one cannot be shown to anybody. */
const LAST_INSTANT = 8_640_000_000_000_000;

export function checkRegister(body: unknown): Checked<RegisterRequest> {
  return checked<RegisterRequest>(body, (check) => {
    identity(check);
    check.list('groups', { min: 1, max: 1000 }, (item) => item.text({ max: LIMITS.groupKeyLength, ascii: true }));
    check.list('urls', { min: 1, max: 8 }, (item) => item.workerUrl());
    check.list('handlers', { min: 0, max: 5000 }, (item) =>
      item.object((handler) => {
        handler.at('name').name({ max: LIMITS.handlerLength });
        handler.optional('version')?.name({ max: LIMITS.nameLength });
        handler.optional('concurrency')?.integer({ min: 1, max: MAX_SLOTS });
      }),
    );
    check.distinct('handlers', (handler) => (handler as { name?: unknown } | null)?.name);
    const slots = check.at('slots');
    if (typeof slots.value === 'object') slots.map((item) => item.integer({ min: 0, max: MAX_SLOTS }));
    else slots.integer({ min: 1, max: MAX_SLOTS });
    check.optional('weight')?.number({ min: 0, max: 1_000_000 });
    if (check.optional('tags')) check.list('tags', { min: 0, max: 64 }, (item) => item.name({ max: LIMITS.nameLength }));
    check.optional('zone')?.name({ max: LIMITS.nameLength });
    check.at('sdk').name({ max: LIMITS.nameLength });
    check.list('unreported', { min: 0, max: 100_000 }, attemptResult);
  });
}

export function checkHeartbeat(body: unknown): Checked<HeartbeatRequest> {
  return checked<HeartbeatRequest>(body, (check) => {
    identity(check);
    check.at('sentAt').integer({ min: 0 });
    check.at('state').oneOf(['ready', 'draining']);
    workerFigures(check);
    check.at('avgCostMs').number({ min: 0 });
    check.at('cpuIdlePercent').number({ min: 0, max: 100 });
    check.optional('memory')?.number({ min: 0 });
    check.list('attempts', { min: 0, max: 100_000 }, (item) =>
      item.object((attempt: FieldCheck) => {
        attemptKey(attempt);
        attempt.at('phase').oneOf(PHASES);
        attempt.optional('progress')?.number({ min: 0, max: 1 });
      }),
    );
  });
}

export function checkResults(body: unknown): Checked<ResultsRequest> {
  return checked<ResultsRequest>(body, (check) => {
    identity(check);
    check.list('results', { min: 0, max: 100_000 }, attemptResult);
    check.optional('figures')?.object(workerFigures);
  });
}

export function checkLogs(body: unknown): Checked<LogsRequest> {
  return checked<LogsRequest>(body, (check) => {
    identity(check);
    check.list('lines', { min: 0, max: 100_000 }, (item) =>
      item.object((line) => {
        attemptKey(line);
        line.at('attempt').integer({ min: 1, max: 32_767 });
        line.at('seq').integer({ min: 1, max: 2_147_483_647 });
        line.at('at').integer({ min: 0, max: LAST_INSTANT });
        line.at('level').oneOf(LOG_LEVELS);
        line.at('message').text({ min: 0 });
        line.optional('fields')?.object(() => undefined);
      }),
    );
  });
}

export function checkDeregister(body: unknown): Checked<DeregisterRequest> {
  return checked<DeregisterRequest>(body, identity);
}

/** The fields of WorkerFigures, wherever they stand. */
export function workerFigures(check: FieldCheck): void {
  for (const field of ['seq', 'active', 'queued', 'freeSlots'] satisfies (keyof WorkerFigures)[])
    check.at(field).integer({ min: 0 });
  if (check.optional('full')) check.list('full', { min: 0, max: 5000 }, (item) => item.text({ max: LIMITS.handlerLength }));
}

/** What names an attempt. */
export function attemptKey(check: FieldCheck): void {
  check.at('taskId' satisfies keyof AttemptReport).text({ max: 64, ascii: true });
  check.at('lease' satisfies keyof AttemptReport).integer({ min: 0 });
}

export function checked<T>(body: unknown, rules: (check: FieldCheck) => void): Checked<T> {
  const errors: FieldError[] = [];
  new FieldCheck(body, '', errors).object(rules);
  return errors.length === 0 ? { message: body as T, errors: [] } : { message: null, errors };
}

function identity(check: FieldCheck): void {
  check.at('workerId').text({ max: LIMITS.workerIdLength, ascii: true });
  check.at('incarnation').matching(INCARNATION, 'must be 26 Crockford base32 characters');
}

function attemptResult(item: FieldCheck): void {
  item.object((result) => {
    attemptKey(result);
    result.at('outcome' satisfies keyof AttemptResult).oneOf(RESULT_OUTCOMES);
    result.at('startedAt').integer({ min: 0 });
    result.at('endedAt').integer({ min: 0 });
    result.optional('error')?.object((error) => {
      error.at('name').text({ min: 0 });
      error.at('message').text({ min: 0 });
      error.optional('stack')?.text({ min: 0 });
      error.optional('retryable')?.boolean();
      error.optional('retryAfterMs')?.integer({ min: 0, max: LIMITS.maxDelayMs });
    });
  });
}
