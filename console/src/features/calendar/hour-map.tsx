import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { useMemo, useState } from 'react';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { Empty } from '../../components/empty';
import { useT } from '../../lib/i18n';
import { useOverflow } from '../../lib/overflow';
import { usePreferences } from '../../lib/preferences';
import { instantText } from '../../lib/times';
import { CalendarNotes } from './calendar-notes';
import { HourCell } from './hour-cell';
import '../../components/data-table.css';
import { daysOf, dayText } from './hour-days';
import { firesOf, HOUR, type HourFires, MARKED, MARKS, outsideOf, sumOf } from './hour-fires';

/** Jobs drawn at once: each is a row of up to 168 cells. */
const ROWS = 100;

/** How much falls into each hour, over all and job by job. It is the table of itself. */
export function HourMap({ calendar, group }: { calendar: Calendar; group: string | undefined }) {
  const t = useT();
  const { zone, language } = usePreferences();
  const [frame, wider] = useOverflow();
  const [shown, setShown] = useState(ROWS);
  const start = Date.parse(calendar.from);
  const now = Date.parse(calendar.now);
  const hours = Math.round((Date.parse(calendar.to) - start) / HOUR);
  const rows = useMemo(() => rowsOf(calendar, start, hours), [calendar, hours, start]);
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
  const clashOf = (hour: number) => {
    const within = calendar.clashes.filter(({ at }) => Math.floor((Date.parse(at) - start) / HOUR) === hour);
    return within.length > 0 ? Math.max(...within.map(({ jobs }) => jobs)) : undefined;
  };
  const marked = MARKED.filter((mark) => sums.some((fires) => fires[mark] > 0));
  return (
    <div className="stack">
      <CalendarNotes calendar={calendar} group={group} />
      <ul className="hour-legend secondary">
        <li>{t('calendar.legend.count')}</li>
        {marked.map((mark) => (
          <li key={mark}>
            <span aria-hidden>{MARKS[mark]}</span> {t(`calendar.legend.${mark}`)}
          </li>
        ))}
        {calendar.clashes.length > 0 && (
          <li>
            <span aria-hidden>▲</span> {t('calendar.legend.clash')}
          </li>
        )}
        <li>
          <span aria-hidden className="hour-outside" /> {t('calendar.legend.outside')}
        </li>
      </ul>
      {wider && <span className="secondary">↔ {t('calendar.sideways')}</span>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" ref={frame} aria-label={t('nav.calendar')} tabIndex={0}>
        <table className="hour-map">
          <caption className="visually-hidden">{t('nav.calendar')}</caption>
          <thead>
            <tr>
              <th rowSpan={2} scope="col">
                {t('nav.jobs')}
              </th>
              {daysOf(start, hours, zone).map(({ hour, length }) => (
                <th key={hour} scope="colgroup" colSpan={length} className="hour-day">
                  <span>{dayText(start + hour * HOUR, zone, language)}</span>
                </th>
              ))}
            </tr>
            <tr>
              {sums.map((_, hour) => (
                <th key={hour} scope="col" title={hourText(hour)} data-now={hour === Math.floor((now - start) / HOUR)}>
                  {hourText(hour).slice(-5, -3)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{t('calendar.all')}</th>
              {sums.map((fires, hour) => (
                <HourCell key={hour} fires={fires} most={most} span={spanOf(hour)} clash={clashOf(hour)} />
              ))}
            </tr>
            {rows.slice(0, shown).map(({ job, fires }) => (
              <tr key={job.id}>
                <th scope="row">
                  <Link to="/jobs/$jobId" params={{ jobId: job.id }} title={job.key}>
                    <bdi>{job.key}</bdi>
                  </Link>
                  {job.state !== 'active' && <span className="secondary"> {t(`jobState.${job.state}`)}</span>}
                </th>
                {fires.map((each, hour) => (
                  <HourCell
                    key={hour}
                    fires={each}
                    most={most}
                    span={spanOf(hour)}
                    jobId={job.id}
                    outside={outsideOf(job, start + hour * HOUR)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown < rows.length && (
        <div className="row">
          <span className="secondary">{t('calendar.rows', { shown, n: rows.length })}</span>
          <Button size="small" onClick={() => setShown(shown + ROWS)}>
            {t('calendar.moreRows', { n: Math.min(ROWS, rows.length - shown) })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** In the order they came; where not all are drawn at once, those with something to see to first. */
function rowsOf({ jobs }: Calendar, start: number, hours: number) {
  const rows = jobs.map((job) => ({ job, fires: firesOf(job, start, hours) }));
  if (rows.length <= ROWS) return rows;
  const isPlain = (fires: readonly HourFires[]) => fires.every((hour) => MARKED.every((mark) => hour[mark] === 0));
  return rows.map((row) => ({ ...row, last: isPlain(row.fires) })).sort((a, b) => Number(a.last) - Number(b.last));
}
