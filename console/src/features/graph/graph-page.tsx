import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Button, Skeleton } from 'antd';
import { lazy, Suspense, useMemo } from 'react';
import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { GraphBar } from './graph-bar';
import { type GraphSearch, graphSearch } from './graph-search';
import { GraphTree } from './graph-tree';
import { JobCard } from './job-card';
import { useFlow } from './use-flow';
import './graph.css';

/** The drawing libraries come only with the drawing. */
const GraphPicture = lazy(() => import('./graph-picture'));
const PHONE = '(max-width: 720px)';

/** Which jobs wait for which: as a picture and, with the same content, as a list. */
export function GraphPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => graphSearch(raw), [raw]);
  const navigate = useNavigate();
  const go = (change: Partial<GraphSearch>, replace = false) =>
    void navigate({ to: '/graph', search: { ...search, ...change } as never, replace });
  const { group, focus, depth } = search;
  const asked = { group, focus, depth: focus === undefined ? undefined : depth };
  const query = useQuery({
    queryKey: ['jobs', 'graph', asked],
    queryFn: ({ signal }) => api.get<JobGraph>('graph', asked, signal),
    placeholderData: keepPreviousData,
  });
  const graph = query.data;
  const flow = useFlow(search.flow);
  const view = search.view ?? (matchMedia(PHONE).matches ? 'list' : 'graph');
  const focusOn = (id: string) => go({ focus: id, job: undefined });
  const chosen = graph?.nodes.find(({ id }) => id === search.job);
  const focused = graph?.nodes.find(({ id }) => id === focus);
  return (
    <Page title={t('nav.graph')} object={focused?.key} fill={view === 'graph'}>
      <GraphBar search={search} view={view} nodes={graph?.nodes ?? []} onChange={go} />
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {flow.query.error && <ErrorPanel error={flow.query.error} onRetry={() => void flow.query.refetch()} />}
      {!graph && !query.error && <Skeleton active />}
      {graph?.truncated && <Alert type="info" showIcon title={t('graph.truncated', { n: graph.nodes.length })} />}
      {graph && graph.nodes.length === 0 && (
        <div className="panel">
          {group === undefined ? (
            <Empty text={t('graph.empty')} actions={<Link to="/jobs">{t('graph.toJobs')}</Link>} />
          ) : (
            <Empty
              text={t('graph.noMatch')}
              actions={<Button onClick={() => go({ group: undefined })}>{t('tasks.reset')}</Button>}
            />
          )}
        </div>
      )}
      {graph && graph.nodes.length > 0 && (
        <div className="graph-with-card" data-card={chosen !== undefined}>
          {view === 'list' ? (
            <GraphTree graph={graph} flow={flow.byJob} focusOn={focusOn} />
          ) : (
            <Suspense fallback={<Skeleton active />}>
              <GraphPicture graph={graph} flow={flow.byJob} search={search} onChange={go} />
            </Suspense>
          )}
          {chosen && (
            <JobCard
              job={chosen}
              graph={graph}
              flow={flow.byJob}
              choose={(id) => go({ job: id }, true)}
              focusOn={focusOn}
              close={() => go({ job: undefined }, true)}
            />
          )}
        </div>
      )}
    </Page>
  );
}
