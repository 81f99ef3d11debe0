import type { ReactNode } from 'react';
import type { RetryPlan } from '../../../../src/admin/contract/callbacks.js';
import { StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

/**
 * Every attempt of a schedule in its order, each with its wait before it; the longer the wait, the longer its line. `failures`: how many
 * have failed, with when the `next` is made; absent: the plan alone.
 */
export function RetrySteps({ plan, failures, next }: { plan: RetryPlan; failures?: number | null; next?: ReactNode }) {
  const t = useT();
  let after = 0;
  const steps = [0, ...plan.delaysMs].map((waitMs) => {
    after += waitMs;
    return { waitMs, after };
  });
  return (
    <ol className="retry-steps" aria-label={t('callbacks.schedule')}>
      {steps.map((step, i) => {
        const state =
          failures === undefined || failures === null ? 'plan' : i < failures ? 'failed' : i === failures ? 'next' : 'plan';
        return (
          <li key={step.after} data-state={state}>
            {i > 0 && <span className="retry-wait" aria-hidden style={{ width: `${4 + 3 * Math.log(step.waitMs / 1_000)}px` }} />}
            <span className="retry-step">
              <span className="row" style={{ gap: 4, flexWrap: 'nowrap' }}>
                <StateIcon family={state === 'failed' ? 'failed' : 'waiting'} />
                {t('callbacks.stepNo', { n: i + 1 })}
              </span>
              <span className="secondary">{i === 0 ? t('callbacks.atOnce') : `+ ${durationText(step.waitMs, t)}`}</span>
              {state === 'failed' && <span className="state-failed">{t('callbacks.stepFailed')}</span>}
              {state === 'next' && next}
            </span>
          </li>
        );
      })}
      <li data-state="end">
        <span className="retry-step">
          <StateIcon family="cancelled" /> {t('callbacks.stepGivenUp', { after: durationText(after, t) })}
        </span>
      </li>
    </ol>
  );
}
