import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { useMemo } from 'react';
import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import { FlowState } from './flow-state';
import { conditionOf, isLate, neighboursOf, treeOf } from './graph-model';
import { LastState } from './last-state';

const INDENT_PX = 18;
const DEEPEST = 16;
type Row = ReturnType<typeof treeOf>[number];

/** The same as the picture, to read: every job once, indented below one it waits for, and all it waits for in words. */
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
  const columns: Column<Row>[] = [
    {
      key: 'job',
      title: t('graph.job'),
      cell: ({ job, level }) => (
        <span className="row" style={{ flexWrap: 'nowrap', gap: 0 }}>
          <span className="graph-indent" style={{ width: Math.min(level, DEEPEST) * INDENT_PX }} />
          {level > 0 && <span aria-hidden="true">└ </span>}
          <span className="visually-hidden">{t('graph.level', { n: level + 1 })}</span>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
            <bdi>{job.key}</bdi>
          </Link>
        </span>
      ),
    },
    { key: 'group', title: t('task.group'), cell: ({ job }) => <bdi>{job.group}</bdi> },
    ...(flow
      ? [{ key: 'flow', title: t('graph.inFlow'), cell: ({ job }: Row) => <FlowState task={flow.get(job.id)} /> }]
      : [{ key: 'last', title: t('graph.last'), cell: ({ job }: Row) => <LastState job={job} /> }]),
    { key: 'next', title: t('graph.next'), cell: ({ job }) => <Instant at={job.nextFireAt} /> },
    {
      key: 'waits',
      title: t('graph.waitsFor'),
      cell: ({ job }) =>
        up.has(job.id) ? (
          <bdi>
            {up
              .get(job.id)
              ?.map((id) => names.get(id))
              .join(', ')}{' '}
            · {code('condition', conditionOf(job))}
          </bdi>
        ) : (
          <span className="secondary">–</span>
        ),
    },
    {
      key: 'focus',
      title: t('users.actions'),
      cell: ({ job }) => (
        <Button type="link" size="small" aria-label={`${t('graph.focus')} – ${job.key}`} onClick={() => focusOn(job.id)}>
          {t('graph.focus')}
        </Button>
      ),
    },
  ];
  return (
    <DataTable<Row>
      label={t('graph.list')}
      columns={columns}
      rows={rows}
      rowId={({ job }) => job.id}
      edge={({ job }) => {
        const state = flow ? flow.get(job.id)?.state : job.last?.state;
        if (state === 'FAILED' || state === 'TIMED_OUT') return 'failed';
        return (flow ? flow.get(job.id)?.late : isLate(job)) ? 'late' : undefined;
      }}
      empty={null}
    />
  );
}
