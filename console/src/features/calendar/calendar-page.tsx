import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Button, Segmented, Skeleton } from 'antd';
import { useMemo } from 'react';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { one, oneOf } from '../../lib/search';
import { instantText } from '../../lib/times';
import './calendar.css';

const HOUR = 3_600_000;
const SPANS = { day: 24, week: 168 } as const;

/** What will fire, hour by hour: a map of how much falls into each hour, and the jobs below it. */
export function CalendarPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const span = oneOf(raw, 'span', ['day', 'week'] as const) ?? 'day';
  const group = one(raw, 'group');
  const stated = one(raw, 'date');
  const from = useMemo(() => Math.floor((stated ? Date.parse(stated) : Date.now()) / HOUR) * HOUR, [stated]);
  const to = from + SPANS[span] * HOUR;
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), group };
  const query = useQuery({
    queryKey: ['jobs', 'calendar', range],
    queryFn: ({ signal }) => api.get<Calendar>('calendar', range, signal),
    placeholderData: keepPreviousData,
  });
  const go = (change: object) =>
    void navigate({
      to: '/calendar',
      search: { span: span === 'day' ? undefined : span, group, date: stated, ...change } as never,
    });
  return (
    <Page
      title={t('nav.calendar')}
      object={group}
      actions={
        <>
          <Button onClick={() => go({ date: new Date(from - SPANS[span] * HOUR).toISOString() })}>{t('calendar.earlier')}</Button>
          <Button onClick={() => go({ date: undefined })}>{t('calendar.now')}</Button>
          <Button onClick={() => go({ date: new Date(to).toISOString() })}>{t('calendar.later')}</Button>
          <Segmented
            aria-label={t('calendar.span')}
            value={span}
            options={(['day', 'week'] as const).map((value) => ({ value, label: t(`calendar.${value}`) }))}
            onChange={(value) => go({ span: value === 'day' ? undefined : value })}
          />
        </>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.data && !query.error && <Skeleton active />}
      {query.data && <HourMap calendar={query.data} />}
    </Page>
  );
}

function HourMap({ calendar }: { calendar: Calendar }) {
  const t = useT();
  const { zone } = usePreferences();
  const start = Date.parse(calendar.from);
  const hours = Math.round((Date.parse(calendar.to) - start) / HOUR);
  const rows = useMemo(
    () =>
      calendar.jobs.map((job) => {
        const counts = Array<number>(hours).fill(0);
        const add = (at: string, count: number) => {
          const hour = Math.floor((Date.parse(at) - start) / HOUR);
          if (hour >= 0 && hour < hours) counts[hour] = (counts[hour] as number) + count;
        };
        for (const at of job.fires ?? []) add(at, 1);
        for (const { at, count } of job.hours ?? []) add(at, count);
        return { job, counts, total: counts.reduce((sum, each) => sum + each, 0) };
      }),
    [calendar, hours, start],
  );
  const sums = Array.from({ length: hours }, (_, hour) => rows.reduce((sum, { counts }) => sum + (counts[hour] as number), 0));
  const most = Math.max(1, ...sums);
  if (rows.length === 0) return <Empty text={t('calendar.empty')} />;
  const hourText = (hour: number) => instantText(start + hour * HOUR, zone).slice(0, -3);
  return (
    <div className="stack">
      {calendar.truncated && <Alert type="info" showIcon title={t('calendar.truncated')} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label={t('nav.calendar')} tabIndex={0}>
        <table className="hour-map">
          <caption className="visually-hidden">{t('nav.calendar')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('nav.jobs')}</th>
              {sums.map((_, hour) => (
                <th key={hour} scope="col" title={hourText(hour)}>
                  {hour > 0 && hourText(hour).endsWith(' 00:00') ? hourText(hour).slice(-11, -6) : hourText(hour).slice(-5, -3)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{t('calendar.all')}</th>
              {sums.map((count, hour) => (
                <Cell key={hour} count={count} most={most} when={hourText(hour)} />
              ))}
            </tr>
            {rows.map(({ job, counts }) => (
              <tr key={job.id}>
                <th scope="row">
                  <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                    <bdi>{job.key}</bdi>
                  </Link>
                </th>
                {counts.map((count, hour) => (
                  <Cell key={hour} count={count} most={most} when={hourText(hour)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Cell({ count, most, when }: { count: number; most: number; when: string }) {
  const strength = count === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(count / most);
  return (
    <td title={`${when} · ${count}`} style={{ '--strength': strength } as React.CSSProperties} data-count={count}>
      {count > 0 ? count : ''}
    </td>
  );
}
