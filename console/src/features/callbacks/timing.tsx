import type { AttemptWire } from '../../../../src/admin/contract/callbacks.js';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

const STEPS = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const;

/** The steps of one attempt one after the other, drawn and as numbers. */
export function Timing({ timing, durationMs }: { timing: AttemptWire['timing']; durationMs: number }) {
  const t = useT();
  const reached = STEPS.flatMap((step) => (timing[step] === undefined ? [] : [{ step: step as string, ms: timing[step] }]));
  const known = reached.reduce((sum, { ms }) => sum + ms, 0);
  // Whatever is left: the body of the answer, or waiting in the step that was not completed.
  const parts = [...reached, { step: 'rest', ms: Math.max(0, durationMs - known) }];
  const total = Math.max(1, ...[parts.reduce((sum, { ms }) => sum + ms, 0)]);
  return (
    <div className="stack" style={{ gap: 4 }}>
      <h3>{t('callbacks.timing')}</h3>
      <div className="timing-bar" aria-hidden>
        {parts.map(({ step, ms }) => (
          <span key={step} data-step={step} style={{ width: `${(100 * ms) / total}%` }} />
        ))}
      </div>
      <table className="timing" aria-label={t('callbacks.timing')}>
        <tbody>
          <tr>
            {parts.map(({ step }) => (
              <th key={step} scope="col">
                <span className="timing-key" data-step={step} aria-hidden /> {t(`callbacks.timing.${step as 'rest'}`)}
              </th>
            ))}
            <th scope="col">{t('callbacks.timing.total')}</th>
          </tr>
          <tr>
            {parts.map(({ step, ms }) => (
              <td key={step}>{durationText(ms, t)}</td>
            ))}
            <td>{durationText(durationMs, t)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
