import { Link } from '@tanstack/react-router';
import type { LinkedTask, TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { StateTag } from '../../components/state-tag';
import { useT } from '../../lib/i18n';

/** More steps than any graph is deep. */
const WHOLE = 20;

/** Tasks beside this one: those it waited for and those that wait for it, its flow, its shards or the task it is a shard of. */
export function TaskRelated({ task }: { task: TaskDetail }) {
  const t = useT();
  const { id, job, flowId, parentId, shard, shards, upstreams, downstreams } = task;
  const flow = flowId ?? (downstreams.length > 0 ? id : null);
  const nothing = flow === null && parentId === null && shards === null && upstreams.length + downstreams.length === 0;
  if (nothing) return <span className="secondary">{t('task.nothingRelated')}</span>;
  return (
    <div className="stack">
      {parentId !== null && (
        <div className="row">
          {shard && <span>{t('task.shardOf', { n: shard.index + 1, total: shard.total })}</span>}
          <Link to="/tasks/$taskId" params={{ taskId: parentId }} className="mono">
            {parentId}
          </Link>
        </div>
      )}
      {shards && (
        <div className="row">
          <strong>{t('task.shards')}</strong>
          <span className={shards.failed > 0 ? 'state-failed' : undefined}>{t('task.shardCounts', { ...shards })}</span>
          <Link to="/tasks" search={{ parentId: id, since: 'all' } as never}>
            {t('task.allShards')}
          </Link>
          {shards.failed > 0 && (
            <Link to="/tasks" search={{ parentId: id, since: 'all', state: ['FAILED', 'TIMED_OUT'] } as never}>
              {t('task.failedShards')}
            </Link>
          )}
        </div>
      )}
      {flow !== null && (
        <div className="row">
          <strong>{t('task.flow')}</strong>
          <Link to="/tasks" search={{ flowId: flow, since: 'all' } as never}>
            {t('task.flowTasks')}
          </Link>
          {job && (
            <Link to="/graph" search={{ focus: job.id, depth: WHOLE, flow } as never}>
              {t('task.flowGraph')}
            </Link>
          )}
        </div>
      )}
      <Tasks title={t('task.upstreams')} tasks={upstreams} />
      <Tasks title={t('task.downstreams')} tasks={downstreams} />
    </div>
  );
}

function Tasks({ title, tasks }: { title: string; tasks: readonly LinkedTask[] }) {
  if (tasks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className="plain-list">
        {tasks.map(({ id, state, group, handler, job }) => (
          <li key={id} className="row">
            <StateTag state={state} />
            <Link to="/tasks/$taskId" params={{ taskId: id }}>
              <bdi>
                {group}/{job?.key ?? handler}
              </bdi>
            </Link>
            <span className="mono secondary">{id.slice(-8)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
