import {
  type CancelAnswer,
  type CancelOrder,
  type FieldError,
  type HealthAnswer,
  LIMITS,
  ORDER_OUTCOMES,
  type RunAnswer,
} from '@evenkeel/sdk/contract';
import { attemptKey, checked, workerFigures } from '../registry/check-message.js';
import type { FieldCheck } from '../registry/field-check.js';
import { attemptName } from '../registry/worker.js';

const MANY = { min: 0, max: 100_000 };
const CANCEL_OUTCOMES = ['stopping', 'unknown', 'finished'];
const PHASES = ['queued', 'running', 'reporting'];

/** One attempt an order or a cancel is about. */
export interface TaskLease {
  taskId: string;
  lease: number;
}
export type ParsedAnswer<T> = { answer: T } | { wrong: string };

/** The answer to orders: one outcome for each task asked about; what was not asked about is dropped. */
export function parseRunAnswer(body: string, tasks: readonly TaskLease[]): ParsedAnswer<RunAnswer> {
  const parsed = parse<RunAnswer>(body, (check) => {
    workerFigures(check);
    check.list('results', MANY, (item) =>
      item.object((result) => {
        attemptKey(result);
        result.at('outcome').oneOf(ORDER_OUTCOMES);
        result.optional('seenEpoch')?.integer({ min: 0, max: LIMITS.epoch });
      }),
    );
  });
  if ('wrong' in parsed) return parsed;
  const results = resultsFor(tasks, parsed.answer.results);
  return results ? { answer: { ...parsed.answer, results } } : { wrong: 'the answer leaves tasks out' };
}

export function parseCancelAnswer(body: string, orders: readonly CancelOrder[]): ParsedAnswer<CancelAnswer> {
  const parsed = parse<CancelAnswer>(body, (check) =>
    check.list('results', MANY, (item) =>
      item.object((result) => {
        attemptKey(result);
        result.at('outcome').oneOf(CANCEL_OUTCOMES);
      }),
    ),
  );
  if ('wrong' in parsed) return parsed;
  const results = resultsFor(orders, parsed.answer.results);
  return results ? { answer: { results } } : { wrong: 'the answer leaves tasks out' };
}

export function parseHealthAnswer(body: string): ParsedAnswer<HealthAnswer> {
  return parse<HealthAnswer>(body, (check) => {
    check.at('workerId').text({});
    check.at('incarnation').text({});
    check.at('state').oneOf(['ready', 'draining']);
    check.list('attempts', MANY, (item) =>
      item.object((attempt) => {
        attemptKey(attempt);
        attempt.at('phase').oneOf(PHASES);
      }),
    );
  });
}

function parse<T>(body: string, rules: (check: FieldCheck) => void): ParsedAnswer<T> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { wrong: 'the answer is not JSON' };
  }
  const { message, errors } = checked<T>(value, rules);
  return message === null ? { wrong: `the answer is malformed: ${said(errors)}` } : { answer: message };
}

const said = (errors: FieldError[]): string => errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');

type Named = { taskId: string; lease: number };

/** In the order asked, or null if one is missing. */
function resultsFor<R extends Named>(asked: readonly Named[], results: readonly R[]): R[] | null {
  const byName = new Map(results.map((result) => [attemptName(result), result]));
  const found: R[] = [];
  for (const item of asked) {
    const result = byName.get(attemptName(item));
    if (!result) return null;
    found.push(result);
  }
  return found;
}
