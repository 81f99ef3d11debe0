import { Link } from '@tanstack/react-router';
import { Alert } from 'antd';
import { useMemo } from 'react';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { Empty } from '../../components/empty';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { instantText } from '../../lib/times';
import { CalendarNotes } from './calendar-notes';
import { HourCell, type HourFires } from './hour-cell';

export const HOUR = 3_600_000;

/** How much falls into each hour, over all and job by job. It is the table of itself. */
export function HourMap({ calendar }: { calendar: Calendar }) {
  const t = useT();
  const { zone } = usePreferences();
  const start = Date.parse(calendar.from);
  const now = Date.parse(calendar.now);
  const hours = Math.round((Date.parse(calendar.to) - start) / HOUR);
  const rows = useMemo(() => calendar.jobs.map((job) => ({ job, fires: firesOf(job, start, hours) })), [calendar, hours, start]);
  const sums = Array.from({ length: hours }, (_, hour) => sumOf(rows.map(({ fires }) => fires[hour] as HourFires)));
  const most = Math.max(1, ...sums.map(({ count }) => count));
  if (rows.length === 0) return <Empty text={t('calendar.empty')} />;
  const hourText = (hour: number) => instantText(start + hour * HOUR, zone).slice(0, -3);
  const spanOf = (hour: number) => ({
    when: hourText(hour),
    from: new Date(start + hour * HOUR).toISOString(),
    to: new Date(start + (hour + 1) * HOUR).toISOString(),
    isOver: start + hour * HOUR < now,
  });
  return (
    <div className="stack">
      {calendar.truncated && <Alert type="info" showIcon title={t('calendar.truncated')} />}
      <CalendarNotes calendar={calendar} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label={t('nav.calendar')} tabIndex={0}>
        <table className="hour-map">
          <caption className="visually-hidden">{t('nav.calendar')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('nav.jobs')}</th>
              {sums.map((_, hour) => (
                <th key={hour} scope="col" title={hourText(hour)} data-now={hour === Math.floor((now - start) / HOUR)}>
                  {hour > 0 && hourText(hour).endsWith(' 00:00') ? hourText(hour).slice(-11, -6) : hourText(hour).slice(-5, -3)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{t('calendar.all')}</th>
              {sums.map((fires, hour) => (
                <HourCell key={hour} fires={fires} most={most} span={spanOf(hour)} />
              ))}
            </tr>
            {rows.map(({ job, fires }) => (
              <tr key={job.id}>
                <th scope="row">
                  <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                    <bdi>{job.key}</bdi>
                  </Link>
                </th>
                {fires.map((each, hour) => (
                  <HourCell key={hour} fires={each} most={most} span={spanOf(hour)} jobId={job.id} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

const nothing = (): HourFires => ({ count: 0, failed: 0, missing: 0, ahead: 0 });

function firesOf(job: Calendar['jobs'][number], start: number, hours: number): HourFires[] {
  const fires = Array.from({ length: hours }, nothing);
  const at = (instant: string) => fires[Math.floor((Date.parse(instant) - start) / HOUR)] ?? nothing();
  const add = (instant: string, count: number) => {
    const hour = at(instant);
    hour.count += count;
    hour.ahead += count;
  };
  for (const instant of job.fires ?? []) add(instant, 1);
  for (const { at: instant, count } of job.hours ?? []) add(instant, count);
  for (const { at: instant, failed, missing, succeeded, cancelled, skipped, unfinished } of job.past ?? []) {
    const hour = at(instant);
    hour.count += succeeded + failed + cancelled + skipped + unfinished;
    hour.failed += failed;
    hour.missing += missing;
  }
  return fires;
}

function sumOf(all: readonly HourFires[]): HourFires {
  const sum = nothing();
  for (const { count, failed, missing, ahead } of all) {
    sum.count += count;
    sum.failed += failed;
    sum.missing += missing;
    sum.ahead += ahead;
  }
  return sum;
}
