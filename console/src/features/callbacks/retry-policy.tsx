import type { RetryPlan } from '../../../../src/admin/contract/callbacks.js';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

/** What the steps of a retry plan do not show: how far its waits vary, and what is treated apart. */
export function RetryPolicy({ plan }: { plan: RetryPlan }) {
  const figures = {
    jitter: `${Math.round(plan.jitter * 100)} %`,
    overload: durationText(plan.overloadLeastMs),
    refused: plan.refusedAttempts,
    challenge: plan.verificationAttempts,
  };
  return <span className="secondary">{useT()('callbacks.policyText', figures)}</span>;
}
