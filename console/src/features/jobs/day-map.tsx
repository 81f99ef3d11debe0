import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { useId, useMemo, useState } from 'react';
import type { JobDay, JobHistory } from '../../../../src/admin/contract/jobs.js';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { Instant } from '../../components/instant';
import { type Translate, useT } from '../../lib/i18n';
import { type Language, usePreferences } from '../../lib/preferences';
import './day-map.css';

/** As a day is drawn: what failed first, then what may yet. */
type Kind = 'none' | 'ok' | 'failed' | 'open' | 'other' | 'ahead';
const LEGEND = {
  ok: 'history.legendOk',
  failed: 'history.legendFailed',
  open: 'history.legendOpen',
  other: 'history.legendOther',
  ahead: 'history.legendAhead',
} as const;
const COUNTS = ['succeeded', 'failed', 'cancelled', 'skipped', 'unfinished'] as const;
const WORDS = {
  succeeded: 'state.SUCCEEDED',
  failed: 'state.FAILED',
  cancelled: 'state.CANCELLED',
  skipped: 'state.SKIPPED',
  unfinished: 'history.unfinished',
} as const;

const made = (day: JobDay): number => COUNTS.reduce((sum, name) => sum + day[name], 0);
const weekday = ({ date }: JobDay): number => new Date(`${date}T00:00:00Z`).getUTCDay();

function kindOf(day: JobDay): Kind {
  if (day.failed > 0) return 'failed';
  if (day.unfinished > 0) return 'open';
  if (day.succeeded > 0) return 'ok';
  if (made(day) > 0) return 'other';
  return day.ahead > 0 ? 'ahead' : 'none';
}

/** What a day's cell says in words: everything its colour and sign say. */
function dayText(day: JobDay, t: Translate): string {
  const told = COUNTS.filter((name) => day[name] > 0).map((name) => `${t(WORDS[name])} ${day[name]}`);
  if (day.ahead > 0) told.push(`${t('history.ahead')} ${day.ahead}`);
  return [day.date, ...told].join(' · ');
}

/** Each day of a job as a cell, a column to the week; and the same days as a table. */
export function DayMap({ history, jobId }: { history: JobHistory; jobId: string }) {
  const t = useT();
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const { days, timeZone, countedFrom, foretoldUntil } = history;
  const told = days.filter((day) => kindOf(day) !== 'none');
  return (
    <section className="panel stack" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{t('history.days', { zone: timeZone })}</h2>
        <Button size="small" type="text" onClick={() => setAsTable(!asTable)}>
          {t(asTable ? 'chart.asChart' : 'chart.asTable')}
        </Button>
      </div>
      {told.length === 0 && <Empty text={t('history.nothing')} />}
      {told.length > 0 && (asTable ? <DayTable days={told} jobId={jobId} /> : <Weeks history={history} jobId={jobId} />)}
      {countedFrom && (
        <span className="secondary">
          {t('history.countedFrom')} <Instant at={countedFrom} jobZone={timeZone} />
        </span>
      )}
      {foretoldUntil && (
        <span className="secondary">
          {t('history.foretoldUntil')} <Instant at={foretoldUntil} jobZone={timeZone} />
        </span>
      )}
    </section>
  );
}

const searchOf = (day: JobDay, job: string) => ({ job, from: day.from, to: day.to }) as never;

function Weeks({ history: { days, at }, jobId }: { history: JobHistory; jobId: string }) {
  const t = useT();
  const { language } = usePreferences();
  const weeks = useMemo(() => weeksOf(days), [days]);
  const most = Math.max(1, ...days.map(made));
  const names = [...t('history.weekdays')];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="day-map-scroll" aria-label={t('history.date')} tabIndex={0}>
        <table className="day-map">
          <thead>
            <tr>
              <td />
              {weeks.map((week, n) => (
                <th key={week.find((day) => day)?.date} scope="col">
                  {monthOf(week, weeks[n - 1], language)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, row) => (
              <tr key={row}>
                <th scope="row">{name}</th>
                {weeks.map((week) => {
                  const day = week[row];
                  const key = week.find((each) => each)?.date;
                  return day ? (
                    <DayCell key={key} day={day} most={most} today={day.from <= at && at < day.to} jobId={jobId} />
                  ) : (
                    <td key={key} />
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="row secondary">
        {(Object.keys(LEGEND) as (keyof typeof LEGEND)[]).map((kind) => (
          <span key={kind} className="row" style={{ gap: 4 }}>
            <i className="day-cell" data-kind={kind} aria-hidden="true" />
            {t(LEGEND[kind])}
          </span>
        ))}
      </div>
    </>
  );
}

function DayCell({ day, most, today, jobId }: { day: JobDay; most: number; today: boolean; jobId: string }) {
  const t = useT();
  const kind = kindOf(day);
  const text = dayText(day, t);
  const count = made(day);
  const look = {
    className: 'day-cell',
    'data-kind': kind,
    'data-today': today || undefined,
    title: text,
    style: { '--strength': count === 0 ? 1 : 0.35 + 0.65 * Math.sqrt(count / most) } as React.CSSProperties,
  };
  return (
    <td>
      {count > 0 ? (
        // The table twin has the same links for the keyboard, without a hundred stops.
        <Link to="/tasks" search={searchOf(day, jobId)} tabIndex={-1} aria-label={text} {...look} />
      ) : (
        <i {...look} />
      )}
    </td>
  );
}

function DayTable({ days, jobId }: { days: readonly JobDay[]; jobId: string }) {
  const t = useT();
  const columns: Column<JobDay>[] = [
    {
      key: 'date',
      title: t('history.date'),
      cell: (day) =>
        made(day) > 0 ? (
          <Link to="/tasks" search={searchOf(day, jobId)} aria-label={t('history.tasksOf', { date: day.date })}>
            {day.date}
          </Link>
        ) : (
          day.date
        ),
    },
    ...[...COUNTS, 'ahead' as const].map(
      (name): Column<JobDay> => ({
        key: name,
        title: t(name === 'ahead' ? 'history.ahead' : WORDS[name]),
        numeric: true,
        cell: (day) => day[name] || '–',
      }),
    ),
  ];
  return (
    <div className="day-table">
      <DataTable
        label={t('history.date')}
        columns={columns}
        rows={[...days].reverse()}
        rowId={({ date }) => date}
        edge={({ failed }) => (failed > 0 ? 'failed' : undefined)}
        empty=""
      />
    </div>
  );
}

/** Seven places to a week, Sunday first; those before the first day and after the last are empty. */
function weeksOf(days: readonly JobDay[]): (JobDay | undefined)[][] {
  const weeks: (JobDay | undefined)[][] = [];
  for (const day of days) {
    const place = weekday(day);
    if (place === 0 || weeks.length === 0) weeks.push([]);
    (weeks.at(-1) as (JobDay | undefined)[])[place] = day;
  }
  return weeks.map((week) => Array.from({ length: 7 }, (_, n) => week[n]));
}

/** The month a week begins in, where it is not that of the week before. */
function monthOf(
  week: readonly (JobDay | undefined)[],
  before: readonly (JobDay | undefined)[] | undefined,
  language: Language,
): string {
  const of = (days: readonly (JobDay | undefined)[] | undefined) => days?.find((day) => day)?.date.slice(0, 7);
  const month = of(week);
  if (month === undefined || month === of(before)) return '';
  const text = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' }).format(Date.parse(`${month}-01T00:00Z`));
  return text.replace(/(?<=\d)(?=\p{Script=Han})/u, ' ');
}
