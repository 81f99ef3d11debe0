import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ConcernLink } from '../../components/concern-link';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { many } from '../../lib/search';
import { WhyAndWhat } from './concern';

type Concern = Overview['attention'][number];
/** The server tells no more. */
const MOST = 50;

/** What needs somebody now, by the figures of the overview. There are no rules and no channels, and it says so. */
export function AlertsPage() {
  const t = useT();
  const code = useCodeText();
  const navigate = useNavigate();
  const group = many(useSearch({ strict: false }), 'group');
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const query = useQuery({
    queryKey: ['overview', 'attention', group],
    queryFn: ({ signal }) => api.get<Overview>('overview', { group }, signal),
    refetchInterval: useLookAgain(15_000),
    meta: { dear: true },
  });
  const items = query.data?.attention;
  const columns: Column<Concern>[] = [
    {
      key: 'kind',
      title: t('alerts.what'),
      cell: ({ kind }) => (
        <span className="state-tag state-late">
          <StateIcon family="late" />
          <span>{code('attention', kind)}</span>
        </span>
      ),
    },
    { key: 'object', title: t('audit.object'), cell: ({ object, list }) => <ConcernLink object={object} list={list} /> },
    { key: 'since', title: t('alerts.since'), cell: ({ since }) => <Instant at={since} /> },
    { key: 'why', title: t('alerts.why'), cell: ({ kind, evidence }) => <WhyAndWhat kind={kind} evidence={evidence} /> },
  ];
  return (
    <Page title={t('nav.alerts')}>
      <Alert type="info" showIcon title={t('alerts.none')} description={t('alerts.noneWhy')} />
      <div className="row" data-filter>
        <Select
          mode="multiple"
          allowClear
          style={{ minWidth: 220 }}
          aria-label={t('task.group')}
          placeholder={t('alerts.allGroups')}
          value={group ?? []}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={(value) => void navigate({ to: '/alerts', search: { group: value.length > 0 ? value : undefined } as never })}
        />
        <span className="secondary">
          {t('alerts.asOf')} <Instant at={query.data?.at} />
        </span>
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {items && items.length >= MOST && <Alert type="warning" showIcon title={t('alerts.more', { n: MOST })} />}
      <DataTable<Concern>
        label={t('alerts.list')}
        columns={columns}
        rows={query.error && !items ? null : items}
        rowId={({ kind, object }) => `${kind} ${object.type} ${object.id}`}
        edge={() => 'late'}
        empty={
          <Empty
            text={
              <span className="state-tag state-succeeded">
                <StateIcon family="succeeded" />
                <span>{t('alerts.allWell')}</span>
              </span>
            }
          />
        }
      />
    </Page>
  );
}
