import { type FieldError, LIMITS } from '@evenkeel/sdk/contract';
import { SUBMISSION_RULES } from './check-submission.js';
import { checkMembers, Findings, type Rule, rules } from './field-rules.js';
import { eventName } from './schedule/check-schedule.js';

const EVENT = rules({
  clientRequestId: SUBMISSION_RULES.get('clientRequestId') as Rule,
  name: eventName,
  payload: () => {},
});

/** Every field of an event; the documented shape is tested against it. */
export const EVENT_FIELDS: readonly string[] = [...EVENT.keys()];

/** Checks an event as parsed from JSON; `payload` is its text. States every rule that is broken. */
export function checkEvent(body: Record<string, unknown>, payload: string): FieldError[] {
  const findings = new Findings();
  checkMembers(body, EVENT, '', findings);
  for (const name of ['clientRequestId', 'name'])
    if (!Object.hasOwn(body, name)) findings.add(`/${name}`, 'required', 'is required');
  if (Buffer.byteLength(payload) > LIMITS.eventPayloadBytes)
    findings.add('/payload', 'too_large', `must be at most ${LIMITS.eventPayloadBytes} bytes of JSON`);
  return findings.errors;
}
