import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { type ReactNode, useMemo } from 'react';
import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import { FlowState } from './flow-state';
import { conditionOf, isLate, neighboursOf, type TreeRow, treeOf } from './graph-model';
import { LastState } from './last-state';

const INDENT_PX = 18;
const DEEPEST = 16;

/** Only where the job comes first. */
const first = (cell: (row: TreeRow) => ReactNode) => (row: TreeRow) => (row.again ? null : cell(row));

/**
 * The same as the picture, to read: a row for each edge, the job indented below one it waits for. What a job is and all it waits for stands
 * where it comes first; below the others only its name stands.
 */
export function GraphTree({
  graph,
  flow,
  focusOn,
}: {
  graph: JobGraph;
  flow: ReadonlyMap<string, TaskSummary> | undefined;
  focusOn: (id: string) => void;
}) {
  const t = useT();
  const code = useCodeText();
  const rows = useMemo(() => treeOf(graph), [graph]);
  const up = useMemo(() => neighboursOf(graph.edges).up, [graph]);
  const names = useMemo(() => new Map(graph.nodes.map(({ id, key }) => [id, key])), [graph]);
  const columns: Column<TreeRow>[] = [
    {
      key: 'job',
      title: t('graph.job'),
      cell: ({ job, level, again }) => (
        <span className="row" style={{ flexWrap: 'nowrap', gap: 0 }}>
          <span className="graph-indent" style={{ width: Math.min(level, DEEPEST) * INDENT_PX }} />
          {level > 0 && <span aria-hidden="true">└ </span>}
          <span className="visually-hidden">{t('graph.level', { n: level + 1 })}</span>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
            <bdi>{job.key}</bdi>
          </Link>
          {again && <span className="secondary graph-again">{t('graph.toldAbove')}</span>}
        </span>
      ),
    },
    { key: 'group', title: t('task.group'), cell: ({ job }) => <bdi>{job.group}</bdi> },
    ...(flow
      ? [{ key: 'flow', title: t('graph.inFlow'), cell: first(({ job }) => <FlowState task={flow.get(job.id)} />) }]
      : [{ key: 'last', title: t('graph.last'), cell: first(({ job }) => <LastState job={job} />) }]),
    { key: 'next', title: t('graph.next'), cell: first(({ job }) => <Instant at={job.nextFireAt} />) },
    {
      key: 'waits',
      title: t('graph.waitsFor'),
      cell: first(({ job }) =>
        up.has(job.id) ? (
          <bdi>
            {up
              .get(job.id)
              ?.map((id) => names.get(id))
              .join(t('graph.between'))}{' '}
            · {code('condition', conditionOf(job))}
          </bdi>
        ) : (
          <span className="secondary">–</span>
        ),
      ),
    },
    {
      key: 'focus',
      title: t('users.actions'),
      cell: first(({ job }) => (
        <Button type="link" size="small" aria-label={`${t('graph.focus')} – ${job.key}`} onClick={() => focusOn(job.id)}>
          {t('graph.focus')}
        </Button>
      )),
    },
  ];
  return (
    <DataTable<TreeRow>
      label={t('graph.list')}
      columns={columns}
      rows={rows}
      rowId={({ job, under }) => `${under ?? ''} ${job.id}`}
      edge={({ job, again }) => {
        if (again) return undefined;
        const state = flow ? flow.get(job.id)?.state : job.last?.state;
        if (state === 'FAILED' || state === 'TIMED_OUT') return 'failed';
        return (flow ? flow.get(job.id)?.late : isLate(job)) ? 'late' : undefined;
      }}
      empty={null}
    />
  );
}
