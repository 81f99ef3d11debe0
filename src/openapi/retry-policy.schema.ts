import { RETRY_BOUNDS } from '../decisions/check-submission.js';

const maxRetries = { type: 'integer', minimum: 0, maximum: RETRY_BOUNDS.maxRetries };
const delayMs = { type: 'integer', minimum: 0, maximum: RETRY_BOUNDS.delayMs };
const kind = (name: string) => ({ type: 'string', enum: [name] });

const policy = (name: string, members: Record<string, object>, required: string[]) => ({
  type: 'object',
  title: name,
  properties: { kind: kind(name), ...members },
  required: ['kind', ...required],
  additionalProperties: false,
});

/** The four kinds of retry policy as JSON Schema, from the same bounds that are checked. */
export const RETRY_POLICY_SCHEMAS = [
  policy('none', {}, []),
  policy('fixed', { maxRetries, delayMs }, ['maxRetries', 'delayMs']),
  policy(
    'exponential',
    {
      maxRetries,
      delayMs,
      factor: { type: 'number', minimum: 1, maximum: RETRY_BOUNDS.factor, default: 2 },
      maxDelayMs: delayMs,
      jitter: { type: 'number', minimum: 0, maximum: 1 },
    },
    ['maxRetries', 'delayMs'],
  ),
  policy('list', { delaysMs: { type: 'array', items: delayMs, minItems: 1, maxItems: RETRY_BOUNDS.listLength } }, ['delaysMs']),
];
