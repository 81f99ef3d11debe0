import { CloseOutlined } from '@ant-design/icons';
import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import type { JobGraph } from '../../../../src/admin/contract/jobs.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { ActionButton } from '../../components/action-button';
import { Instant } from '../../components/instant';
import { useJobDeeds } from '../../components/job-deeds';
import { useCodeText, useT } from '../../lib/i18n';
import { ChainButton } from './chain-button';
import { FlowState } from './flow-state';
import { chainFrom, conditionOf, type GraphJob, neighboursOf } from './graph-model';
import { LastState } from './last-state';

/** What one node stands for, and where one can go from it. */
export function JobCard({
  job,
  graph,
  flow,
  choose,
  focusOn,
  close,
}: {
  job: GraphJob;
  graph: JobGraph;
  flow: ReadonlyMap<string, TaskSummary> | undefined;
  choose: (id: string) => void;
  focusOn: (id: string) => void;
  close: () => void;
}) {
  const t = useT();
  const code = useCodeText();
  const neighbours = neighboursOf(graph.edges);
  const { up, down } = neighbours;
  const chain = chainFrom(job.id, neighbours);
  const { run, turn } = useJobDeeds()(job);
  const jobs = new Map(graph.nodes.map((each) => [each.id, each]));
  const list = (title: 'graph.waitsForSome' | 'graph.waitedForBySome', ids: readonly string[] = [], condition?: string) => (
    <div>
      <h3 className="secondary" style={{ margin: 0, fontSize: 13 }}>
        {t(title, { n: ids.length })}
        {ids.length > 0 && condition ? ` · ${condition}` : ''}
      </h3>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <Button type="link" size="small" onClick={() => choose(id)}>
              <bdi>{jobs.get(id)?.key}</bdi>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
  return (
    <aside className="panel stack graph-card" aria-label={job.key}>
      <div className="spread" style={{ flexWrap: 'nowrap' }}>
        <h2 style={{ wordBreak: 'break-all' }}>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
            <bdi>{job.key}</bdi>
          </Link>
        </h2>
        <Button type="text" size="small" icon={<CloseOutlined />} aria-label={t('graph.close')} onClick={close} />
      </div>
      <span>
        {t('task.group')}{' '}
        <Link to="/groups/$groupKey" params={{ groupKey: job.group }}>
          <bdi>{job.group}</bdi>
        </Link>{' '}
        · {code('graphKind', job.kind)}
      </span>
      <span className="row">
        {t('graph.last')} <LastState job={job} />
      </span>
      {flow && (
        <span className="row">
          {t('graph.inFlow')} <FlowState task={flow.get(job.id)} />
        </span>
      )}
      <span>
        {t('graph.next')} <Instant at={job.nextFireAt} />
      </span>
      <div className="row">
        <Button onClick={() => focusOn(job.id)}>{t('graph.focus')}</Button>
        <ActionButton {...run} preview={<span>{t('graph.runsOn')}</span>} confirm="dialog" />
        <ActionButton {...turn} />
      </div>
      {chain.length > 1 && <ChainButton job={job} ids={chain} />}
      {list('graph.waitsForSome', up.get(job.id), code('condition', conditionOf(job)))}
      {list('graph.waitedForBySome', down.get(job.id))}
    </aside>
  );
}
