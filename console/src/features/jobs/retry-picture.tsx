import type { RetryPolicy } from '@evenkeel/sdk/contract';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import { retryWaits } from './retry-steps';

const DRAWN = 8;

/** Attempts and the waits between them, and when the last would start if each failed at once. */
export function RetryPicture({ policy }: { policy: RetryPolicy }) {
  const t = useT();
  const waits = retryWaits(policy).filter(({ ms }) => Number.isFinite(ms));
  if (waits.length === 0) return <span className="secondary">{t('jobs.retryNone')}</span>;
  const total = waits.reduce((sum, { ms }) => sum + ms, 0);
  const left = waits.length - DRAWN;
  return (
    <figure className="retry-picture" aria-label={t('jobs.retryPicture')}>
      <ol className="retry-line">
        <li>
          <span className="attempt">1</span>
        </li>
        {waits.slice(0, DRAWN).map(({ ms, fromMs, toMs }, i) => (
          <li key={i}>
            <span className="wait" title={fromMs === toMs ? undefined : `${durationText(fromMs, t)} – ${durationText(toMs, t)}`}>
              {fromMs === toMs ? '' : '≈ '}
              {durationText(ms, t)}
            </span>
            <span className="attempt">{i + 2}</span>
          </li>
        ))}
        {left > 0 && (
          <li>
            <span className="wait">{t('jobs.retryMore', { n: left })}</span>
            <span className="attempt">{waits.length + 1}</span>
          </li>
        )}
      </ol>
      <figcaption className="secondary">
        {t('jobs.retryTotal', { n: waits.length + 1, time: durationText(Math.round(total / 1_000) * 1_000, t) })}
      </figcaption>
    </figure>
  );
}
