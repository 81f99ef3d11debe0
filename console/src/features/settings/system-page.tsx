import { useQuery } from '@tanstack/react-query';
import { Descriptions, Skeleton } from 'antd';
import type { SystemView } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

type Node = SystemView['nodes'][number];
type Partition = SystemView['partitions'][number];

/** The scheduling nodes and who holds which partition. */
export function SystemPage() {
  const t = useT();
  const query = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => api.get<SystemView>('system', undefined, signal),
    refetchInterval: useLookAgain(),
  });
  const system = query.data;
  const nodes: Column<Node>[] = [
    {
      key: 'id',
      title: t('system.node'),
      cell: ({ id }) => (
        <code>
          {id}
          {id === system?.thisNode ? ` (${t('system.thisNode')})` : ''}
        </code>
      ),
    },
    { key: 'host', title: t('system.host'), cell: ({ host }) => <bdi>{host}</bdi> },
    {
      key: 'live',
      title: t('task.state'),
      cell: ({ live }) => (
        <span className={`state-tag state-${live ? 'succeeded' : 'failed'}`}>
          <StateIcon family={live ? 'succeeded' : 'failed'} /> {t(live ? 'system.alive' : 'system.gone')}
        </span>
      ),
    },
    { key: 'partitions', title: t('system.partitions'), cell: ({ partitions }) => partitions.join(', ') || '–' },
    { key: 'started', title: t('task.started'), cell: ({ startedAt }) => <Instant at={startedAt} /> },
    { key: 'seen', title: t('system.seen'), cell: ({ seenAt }) => <Instant at={seenAt} /> },
  ];
  const partitions: Column<Partition>[] = [
    { key: 'partition', title: t('system.partition'), cell: ({ partition }) => partition },
    {
      key: 'holder',
      title: t('system.holder'),
      cell: ({ holder }) => (holder ? <code>{holder}</code> : <span className="state-failed">{t('system.unheld')}</span>),
    },
    { key: 'epoch', title: t('system.epoch'), numeric: true, cell: ({ epoch }) => epoch },
    { key: 'left', title: t('system.left'), numeric: true, cell: ({ leftMs }) => durationText(leftMs, t) },
  ];
  return (
    <Page title={t('system.title')}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!system && !query.error && <Skeleton active />}
      {system && (
        <>
          <Descriptions
            bordered
            size="small"
            items={[
              { key: 'version', label: t('settings.version'), children: system.version },
              {
                key: 'migrations',
                label: t('system.migrations'),
                children: (
                  <span title={system.migrations.join('\n')}>
                    {t('system.migrationsText', { n: system.migrations.length, last: system.migrations.at(-1) ?? '–' })}
                  </span>
                ),
              },
              {
                key: 'database',
                label: t('system.database'),
                children: `${system.database.kind} · ${durationText(system.database.latencyMs, t)}`,
              },
              {
                key: 'skew',
                label: t('workers.skew'),
                children: system.workersWithSkew.map(({ id, skewMs }) => `${id}: ${durationText(skewMs, t)}`).join(', ') || '–',
              },
            ]}
          />
          <DataTable label={t('system.nodes')} columns={nodes} rows={system.nodes} rowId={({ id }) => id} empty="" />
          <div style={{ maxWidth: 640 }}>
            <DataTable
              label={t('system.partitions')}
              columns={partitions}
              rows={system.partitions}
              rowId={({ partition }) => String(partition)}
              empty=""
            />
          </div>
        </>
      )}
    </Page>
  );
}
