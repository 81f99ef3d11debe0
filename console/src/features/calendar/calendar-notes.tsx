import { Alert } from 'antd';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';

/** What one would miss in the map: fires that did not come, many jobs at one instant, and days whose clocks are changed. */
export function CalendarNotes({ calendar: { jobs, clashes, clockChanges } }: { calendar: Calendar }) {
  const t = useT();
  const late = jobs.filter(({ past }) => past?.some(({ missing }) => missing > 0));
  return (
    <>
      {late.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('calendar.missingTitle', { n: late.length })}
          description={
            <span>
              {t('calendar.missingNote')} <bdi className="mono">{late.map(({ key }) => key).join(', ')}</bdi>
            </span>
          }
        />
      )}
      {clashes.length > 0 && (
        <Alert
          type="info"
          showIcon
          title={t('calendar.clashes')}
          description={
            <ul className="plain-list">
              {clashes.slice(0, 5).map(({ at, jobs: count }) => (
                <li key={at}>
                  <Instant at={at} />: {t('calendar.clash', { n: count })}
                </li>
              ))}
            </ul>
          }
        />
      )}
      {clockChanges.map(({ timeZone, at, minutes }) => (
        <Alert
          key={`${timeZone} ${at}`}
          type="info"
          showIcon
          title={
            <span>
              {t(minutes > 0 ? 'calendar.forward' : 'calendar.back', { zone: timeZone, n: Math.abs(minutes) })}{' '}
              <Instant at={at} jobZone={timeZone} />
            </span>
          }
        />
      ))}
    </>
  );
}
