import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Skeleton, Tabs } from 'antd';
import { ErrorPanel } from '../../components/error-panel';
import { JsonText } from '../../components/json-text';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { Attempts } from './attempts';
import { CopyCurl } from './copy-curl';
import { ExplainBox } from './explain-box';
import { Stopping, TaskActions } from './task-actions';
import { TaskFacts } from './task-facts';
import { TaskLogs } from './task-logs';
import { TaskRelated } from './task-related';
import { Timeline } from './timeline';
import { useTask } from './use-task';

const TABS = ['timeline', 'attempts', 'logs', 'params', 'result', 'related'] as const;

/** One task: what it is, why it is so, what happened, and what can be done. */
export function TaskPage() {
  const t = useT();
  const { taskId } = useParams({ strict: false }) as { taskId: string };
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useTask(taskId);
  const task = query.data;
  const tab = TABS.find((name) => name === one(raw, 'tab')) ?? 'timeline';
  return (
    <Page title={t('task.title')} object={taskId} copied={taskId} actions={task && <TaskActions task={task} />}>
      {query.error && (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} object={{ type: 'task', id: taskId }} />
      )}
      {!task && !query.error && <Skeleton active />}
      {task && (
        <>
          <div className="row secondary">
            {task.job && (
              <Link to="/jobs/$jobId" params={{ jobId: task.job.id }}>
                <bdi>{task.job.key ?? task.job.id}</bdi>
              </Link>
            )}
            <bdi className="mono">{task.handler}</bdi>
            <CopyCurl task={task} />
          </div>
          <Stopping task={task} />
          <TaskFacts task={task} />
          <ExplainBox task={task} />
          <Tabs
            activeKey={tab}
            onChange={(key) =>
              void navigate({
                to: '.',
                // What was asked of the logs is of no other tab.
                search: { tab: key === 'timeline' ? undefined : key } as never,
              })
            }
            items={[
              { key: 'timeline', label: t('task.timeline'), children: <Timeline task={task} /> },
              { key: 'attempts', label: t('task.attempts', { n: task.attempts.length }), children: <Attempts task={task} /> },
              { key: 'logs', label: t('task.logs'), children: <TaskLogs task={task} /> },
              { key: 'params', label: t('task.params'), children: <JsonText text={task.paramsText} label={t('task.params')} /> },
              { key: 'result', label: t('task.result'), children: <JsonText text={task.resultText} label={t('task.result')} /> },
              { key: 'related', label: t('task.related'), children: <TaskRelated task={task} /> },
            ]}
          />
        </>
      )}
    </Page>
  );
}
