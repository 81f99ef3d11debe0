import { Link } from '@tanstack/react-router';
import type { HourFigures, OverviewComparison } from '../../../../src/admin/contract/overview.js';
import { StateIcon } from '../../components/state-tag';
import { type Translate, useT } from '../../lib/i18n';
import { durationText, shareText } from '../../lib/times';
import './overview.css';

const count = (value: number | null) => (value === null ? '–' : String(value));
const time = (value: number | null, t: Translate) => (value === null ? '–' : durationText(value, t));
const LINES: readonly [keyof HourFigures, (value: number | null, t: Translate) => string][] = [
  ['ended', count],
  ['failed', count],
  ['startDelayP95', time],
  ['runTimeP95', time],
];

/** The last hour beside others, in a table: four figures are read faster than drawn. */
export function Comparison({ comparison: { hour, yesterday, usual } }: { comparison: OverviewComparison }) {
  const t = useT();
  return (
    <section className="panel" aria-label={t('compare.title')}>
      <h2>{t('compare.title')}</h2>
      <table className="figures">
        <thead>
          <tr>
            <td />
            <th scope="col">{t('compare.hour')}</th>
            <th scope="col">{t('compare.yesterday')}</th>
            <th scope="col">{t('compare.usual')}</th>
          </tr>
        </thead>
        <tbody>
          {LINES.map(([name, text]) => (
            <tr key={name}>
              <th scope="row">{t(`compare.${name}`)}</th>
              {[hour, yesterday, usual].map((figures, i) => (
                <td key={i} className={i === 0 ? 'strong' : undefined}>
                  {text(figures?.[name] ?? null, t)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Groups that are clearly worse in the last hour than in the seven days before; each leads to its tasks of that hour. */
export function Regressions({ regressions }: Pick<OverviewComparison, 'regressions'>) {
  const t = useT();
  return (
    <section className="panel" aria-label={t('compare.regressions')}>
      <h2>{t('compare.regressions')}</h2>
      {regressions.length === 0 && <span className="secondary">{t('compare.none')}</span>}
      <ul className="plain-list">
        {regressions.map(({ group, kind, now, usual, count: n }) => (
          <li key={`${group} ${kind}`} className="row">
            <StateIcon family={kind === 'failures' ? 'failed' : 'late'} />
            <Link
              to="/tasks"
              search={{ group, since: '1h', ...(kind === 'failures' ? { state: ['FAILED', 'TIMED_OUT'] } : {}) } as never}
            >
              <bdi>{group}</bdi>
            </Link>
            <span>
              {t(`compare.${kind}`, {
                now: kind === 'failures' ? shareText(now) : durationText(now, t),
                usual: kind === 'failures' ? shareText(usual) : durationText(usual, t),
              })}
            </span>
            <span className="secondary">{t('compare.of', { n })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
