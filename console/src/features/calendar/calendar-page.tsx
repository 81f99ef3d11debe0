import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Segmented, Select, Skeleton } from 'antd';
import { useMemo } from 'react';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { Calendar } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { useT } from '../../lib/i18n';
import { one, oneOf, type SearchRules, type Stray } from '../../lib/search';
import { HOUR } from './hour-fires';
import { HourMap } from './hour-map';
import './calendar.css';

const SPANS = { day: 24, week: 168 } as const;
/** Instants with years of more than four digits are no instants to the server. */
const LAST_DAY = Date.UTC(9999, 11, 1);

const RULES: SearchRules = { names: ['span', 'group', 'date'], values: { span: ['day', 'week'] } };

/** Epoch milliseconds; undefined if it is none that can be asked about, or on a day its month does not have. */
function instantOf(stated: string | undefined): number | undefined {
  const at = stated === undefined ? Number.NaN : Date.parse(stated);
  const day = stated?.slice(0, 10) ?? '';
  const midnight = Date.parse(`${day}T00:00Z`);
  const isDay = midnight >= 0 && new Date(midnight).toISOString().startsWith(day);
  return isDay && at >= 0 && at < LAST_DAY ? at : undefined;
}
/** The hour that was asked for; this one if that is none. */
const hourOf = (stated: string | undefined): number => Math.floor((instantOf(stated) ?? Date.now()) / HOUR) * HOUR;

/** What became of fires and what will fire, hour by hour: a map of how much falls into each hour, and the jobs below it. */
export function CalendarPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const span = oneOf(raw, 'span', ['day', 'week'] as const) ?? 'day';
  const group = one(raw, 'group');
  const stated = one(raw, 'date');
  const noDate: Stray[] =
    stated === undefined || instantOf(stated) !== undefined ? [] : [{ name: 'date', value: stated, fault: 'date', choices: [] }];
  const strays = [...useStrays(RULES).strays.filter(({ fault }) => fault === 'name'), ...noDate];
  const from = useMemo(() => hourOf(stated), [stated]);
  const to = from + SPANS[span] * HOUR;
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), group };
  const query = useQuery({
    queryKey: ['jobs', 'calendar', range],
    queryFn: ({ signal }) => api.get<Calendar>('calendar', range, signal),
    placeholderData: keepPreviousData,
  });
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
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
          <Select
            allowClear
            aria-label={t('task.group')}
            placeholder={t('task.group')}
            style={{ minWidth: 140 }}
            value={group}
            options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
            onChange={(value) => go({ group: value })}
          />
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
      <StrayFilters strays={strays} />
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.data && !query.error && <Skeleton active />}
      {query.data && <HourMap calendar={query.data} group={group} />}
    </Page>
  );
}
