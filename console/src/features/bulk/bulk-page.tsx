import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Descriptions, Progress, Segmented, Skeleton } from 'antd';
import type { BulkItems, BulkKind, BulkView } from '../../../../src/admin/contract/bulk.js';
import type { Permission } from '../../../../src/admin/contract/session.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ActionButton } from '../../components/action-button';
import { CursorPager } from '../../components/cursor-pager';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { ShortId } from '../../components/short-id';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { one, oneOf } from '../../lib/search';
import { durationText } from '../../lib/times';
import { AgainFailed } from './again-failed';
import { BulkFilterWords } from './bulk-filter';
import { shareDone } from './bulk-list-page';
import { BulkSource } from './bulk-source';
import { ItemWhy } from './item-why';
import { dealtWith, rateText, useRate } from './rate';

const OUTCOMES = ['done', 'skipped', 'failed'] as const;
const PERMISSION: Record<BulkKind, Permission> = {
  'tasks.cancel': 'tasks.cancel',
  'tasks.retry': 'tasks.retry',
  'jobs.pause': 'jobs.pause',
  'jobs.resume': 'jobs.pause',
  'jobs.run': 'jobs.run',
  'jobs.move': 'jobs.edit',
  'jobs.set_owner': 'jobs.edit',
};

/** One bulk action: on what, why, how far, and what became of each. */
export function BulkPage() {
  const t = useT();
  const code = useCodeText();
  const { bulkId } = useParams({ strict: false }) as { bulkId: string };
  const raw = useSearch({ strict: false });
  const outcome = oneOf(raw, 'outcome', OUTCOMES);
  const after = one(raw, 'after');
  const navigate = useNavigate();
  const client = useQueryClient();
  const again = useLookAgain(2_000);
  const path = `bulk/${segment(bulkId)}`;
  const query = useQuery({
    queryKey: ['bulk', 'detail', bulkId],
    queryFn: ({ signal }) => api.get<BulkView>(path, undefined, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? again : false),
  });
  const items = useQuery({
    queryKey: ['bulk', 'items', bulkId, outcome, after],
    queryFn: ({ signal }) => api.get<BulkItems>(`${path}/items`, { outcome, cursor: after }, signal),
    placeholderData: (before) => before,
  });
  const bulk = query.data;
  const rate = useRate(bulk, query.dataUpdatedAt);
  const go = (search: object) => void navigate({ to: '.', search: search as never });
  const refresh = () => void client.invalidateQueries({ queryKey: ['bulk'] });
  const columns: Column<BulkItems['items'][number]>[] = [
    {
      key: 'id',
      title: t('audit.object'),
      cell: ({ id }) => <ShortId id={id} to={id.startsWith('task_') ? '/tasks/$taskId' : '/jobs/$jobId'} />,
    },
    { key: 'outcome', title: t('bulk.outcome'), cell: (item) => code('bulkOutcome', item.outcome) },
    { key: 'detail', title: t('task.reason'), cell: (item) => <ItemWhy item={item} /> },
    { key: 'at', title: t('task.at'), cell: ({ at }) => <Instant at={at} /> },
  ];
  const action = (name: 'pause' | 'resume' | 'abort', danger = false) =>
    bulk && (
      <ActionButton
        label={t(`bulk.${name}`)}
        permission={PERMISSION[bulk.kind]}
        group={null}
        object={bulk.id}
        danger={danger}
        confirm={danger ? 'dialog' : 'none'}
        run={(reason) => api.post(`${path}/${name}`, { reason })}
        done={t(`bulk.${name}`)}
        onDone={refresh}
      />
    );
  return (
    <Page
      title={bulk ? code('bulk', bulk.kind) : t('nav.bulk')}
      object={bulkId}
      actions={
        <>
          {bulk && <BulkSource bulk={bulk} />}
          {bulk && <AgainFailed bulk={bulk} permission={PERMISSION[bulk.kind]} />}
          {bulk?.state === 'running' && action('pause')}
          {bulk?.state === 'paused' && action('resume')}
          {(bulk?.state === 'running' || bulk?.state === 'paused') && action('abort', true)}
        </>
      }
    >
      {query.error && (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} object={{ type: 'bulk', id: bulkId }} />
      )}
      {!bulk && !query.error && <Skeleton active />}
      {bulk && (
        <>
          <Progress
            percent={shareDone(bulk)}
            status={bulk.state === 'aborted' ? 'exception' : undefined}
            aria-label={t('bulk.progress')}
          />
          <Descriptions
            bordered
            size="small"
            column={{ xs: 1, sm: 2, lg: 3 }}
            items={[
              { key: 'state', label: t('task.state'), children: code('bulkState', bulk.state) },
              {
                key: 'counts',
                label: t('bulk.counts'),
                children: t('bulk.countsText', { done: bulk.done, skipped: bulk.skipped, failed: bulk.failed }),
              },
              { key: 'rate', label: t('bulk.rate'), children: <Rate bulk={bulk} rate={rate} /> },
              { key: 'by', label: t('audit.actor'), children: <bdi>{bulk.by}</bdi> },
              { key: 'reason', label: t('audit.reason'), children: <WrittenText text={bulk.reason} /> },
              { key: 'asOf', label: t('bulk.frozenAt'), children: <Instant at={bulk.filter.frozenAt} /> },
              { key: 'ended', label: t('task.finished'), children: <Instant at={bulk.endedAt} /> },
              ...(bulk.change
                ? [
                    {
                      key: 'change',
                      label: t(bulk.change.group === undefined ? 'bulk.newOwner' : 'bulk.moveTo'),
                      children: <WrittenText text={bulk.change.group ?? bulk.change.owner ?? t('bulk.noOwner')} />,
                    },
                  ]
                : []),
              { key: 'filter', label: t('bulk.filter'), span: 'filled', children: <BulkFilterWords bulk={bulk} /> },
            ]}
          />
          <Segmented
            aria-label={t('bulk.outcome')}
            value={outcome ?? 'all'}
            options={[
              { value: 'all', label: t('tasks.all') },
              ...OUTCOMES.map((value) => ({ value: value as string, label: code('bulkOutcome', value) })),
            ]}
            onChange={(value) => go({ outcome: value === 'all' ? undefined : value })}
          />
          {items.error && <ErrorPanel error={items.error} onRetry={() => void items.refetch()} />}
          <DataTable
            label={t('bulk.items')}
            columns={columns}
            rows={items.data?.items}
            rowId={({ id }) => id}
            empty={<Empty text={t('bulk.noItems')} />}
          />
          <CursorPager cursor={after} next={items.data?.nextCursor} onGo={(cursor) => go({ outcome, after: cursor })} />
        </>
      )}
    </Page>
  );
}

/** Items a second; of one that runs also how long the rest takes at that rate. */
function Rate({ bulk, rate }: { bulk: BulkView; rate: number | null }) {
  const t = useT();
  if (rate === null) return '–';
  const perSecond = t('bulk.perSecond', { n: rateText(rate) });
  const left = bulk.expected.count - dealtWith(bulk);
  if (bulk.endedAt !== null || bulk.expected.capped || left <= 0 || rate === 0) return perSecond;
  return `${perSecond} · ${t('bulk.left', { time: durationText((left * 1_000) / rate, t) })}`;
}
