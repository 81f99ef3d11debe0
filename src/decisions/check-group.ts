import { type FieldError, LIMITS, ROUTINGS } from '@evenkeel/sdk/contract';
import { GROUP_KEY, SUBMISSION_RULES } from './check-submission.js';
import { anyText, checkMembers, Findings, integer, isObject, oneOf, type Rule, rules, text, typeOf } from './field-rules.js';
import { said } from './field-sentences.js';

export const GROUP_BOUNDS = {
  maxRunning: { min: 0, max: 1_000_000 },
  maxPending: { min: 0, max: 100_000_000 },
  maxDispatchRate: { min: 1, max: 1_000_000 },
  crashRetries: { min: 0, max: 100 },
  reasonLength: 255,
} as const;

const orNull =
  (rule: Rule): Rule =>
  (value, pointer, findings) => {
    if (value !== null) rule(value, pointer, findings);
  };
const within = ({ min, max }: { min: number; max: number }): Rule => integer(min, max);
const asSubmitted = (name: string): Rule => SUBMISSION_RULES.get(name) as Rule;

const POLICIES = rules({
  priority: asSubmitted('priority'),
  timeoutMs: asSubmitted('timeoutMs'),
  retry: asSubmitted('retry'),
  repeatable: asSubmitted('repeatable'),
  crashRetries: within(GROUP_BOUNDS.crashRetries),
});

const SETTINGS = rules({
  maxRunning: within(GROUP_BOUNDS.maxRunning),
  maxPending: within(GROUP_BOUNDS.maxPending),
  maxDispatchRate: orNull(within(GROUP_BOUNDS.maxDispatchRate)),
  routing: orNull(oneOf(ROUTINGS)),
  policies: (value, pointer, findings) => {
    if (isObject(value)) checkMembers(value, POLICIES, pointer, findings);
    else findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
  },
});
const KEY = text(LIMITS.groupKeyLength, GROUP_KEY, said('key_form'));
const REASON = anyText(GROUP_BOUNDS.reasonLength);

/** What of a group's settings breaks a rule: none, if they may be stored. */
export function checkGroupSettings(settings: object): FieldError[] {
  const findings = new Findings();
  checkMembers(settings, SETTINGS, '', findings);
  return findings.errors;
}

export function checkGroupKey(key: unknown): FieldError[] {
  const findings = new Findings();
  KEY(key, '/key', findings);
  return findings.errors;
}

const MAINTENANCE_REASON = text(GROUP_BOUNDS.reasonLength, /\S/, said('blank'));
/** As a hold of a group, and its reason says something: everybody sees it. */
export function checkMaintenance(reason: unknown, until: number | null, now: number): FieldError[] {
  const findings = new Findings();
  MAINTENANCE_REASON(reason, '/reason', findings);
  if (until !== null && until <= now) findings.add('/until', 'out_of_range', said('future'));
  return findings.errors;
}

/** A hold has a reason; one that ends by itself ends later than now. */
export function checkHold(reason: unknown, until: number | null, now: number): FieldError[] {
  const findings = new Findings();
  REASON(reason, '/reason', findings);
  if (until !== null && until <= now) findings.add('/until', 'out_of_range', said('future'));
  return findings.errors;
}
