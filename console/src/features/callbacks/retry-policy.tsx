import type { RetryPlan } from '../../../../src/admin/contract/callbacks.js';
import { useT } from '../../lib/i18n';
import { durationText, shareText } from '../../lib/times';

/** What the steps of a retry plan do not show: how far its waits vary, and what is treated apart. */
export function RetryPolicy({ plan }: { plan: RetryPlan }) {
  const t = useT();
  const figures = {
    jitter: shareText(plan.jitter),
    overload: durationText(plan.overloadLeastMs, t),
    refused: plan.refusedAttempts,
    challenge: plan.verificationAttempts,
  };
  return <span className="secondary">{t('callbacks.policyText', figures)}</span>;
}
