import { Link } from '@tanstack/react-router';
import { Alert } from 'antd';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';

const NAMED = 10;
const CLASHES = 5;
/** Of these one must know; that a job was paused somebody wanted. */
const TOLD = [
  ['missing', 'warning'],
  ['missed', 'warning'],
  ['disabled', 'warning'],
  ['unknown', 'info'],
] as const;

/** What one would miss in the map: what it leaves out, fires that did not come, many jobs at one instant, and changes of clocks. */
export function CalendarNotes({ calendar, group }: { calendar: Calendar; group: string | undefined }) {
  const t = useT();
  const { jobs, cut, clashes, clockChanges, mostJobs, mostFires } = calendar;
  return (
    <>
      {cut.map((what) => (
        <Alert key={what} type="info" showIcon title={t(`calendar.cut.${what}`, { n: what === 'jobs' ? mostJobs : mostFires })} />
      ))}
      {TOLD.map(([gap, type]) => {
        const some = jobs.filter(({ past }) => past?.some((hour) => hour[gap] > 0));
        return (
          some.length > 0 && (
            <Alert
              key={gap}
              type={type}
              showIcon
              title={t(`calendar.${gap}Title`, { n: some.length })}
              description={
                <span>
                  {t(`calendar.${gap}Note`)} <Named jobs={some} count={some.length} />
                </span>
              }
            />
          )
        );
      })}
      {clashes.length > 0 && (
        <Alert
          type="info"
          showIcon
          title={t('calendar.clashes')}
          description={
            <>
              {t('calendar.jitterHint')}
              <ul className="plain-list">
                {clashes.slice(0, CLASHES).map(({ at, jobs: count, jittered, first }) => (
                  <li key={at}>
                    <Instant at={at} />: <strong>{t('calendar.clash', { n: count })}</strong>
                    {jittered > 0 && ` (${t('calendar.jittered', { n: jittered })})`}{' '}
                    <Named jobs={first} count={count} firesBefore={new Date(Date.parse(at) + 1).toISOString()} group={group} />
                  </li>
                ))}
              </ul>
            </>
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

/** The first few by name, and how many more: a list of them where one can be asked for. */
function Named({
  jobs,
  count,
  firesBefore,
  group,
}: {
  jobs: readonly { id: string; key: string }[];
  count: number;
  firesBefore?: string;
  group?: string;
}) {
  const t = useT();
  const more = count - Math.min(NAMED, jobs.length);
  const text = t('calendar.andMore', { n: more });
  return (
    <span className="clash-jobs">
      {jobs.slice(0, NAMED).map(({ id, key }) => (
        <Link key={id} to="/jobs/$jobId" params={{ jobId: id }}>
          <bdi className="mono">{key}</bdi>
        </Link>
      ))}
      {more > 0 &&
        (firesBefore === undefined ? (
          <span>{text}</span>
        ) : (
          <Link to="/jobs" search={{ firesBefore, sort: 'next', group } as never}>
            {text}
          </Link>
        ))}
    </span>
  );
}
