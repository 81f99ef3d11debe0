import { Link } from '@tanstack/react-router';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { StateTag } from '../../components/state-tag';
import { useT } from '../../lib/i18n';

/** What became of a job in the flow that is drawn. */
export function FlowState({ task }: { task: TaskSummary | undefined }) {
  const t = useT();
  if (!task) return <span className="secondary">{t('graph.notInFlow')}</span>;
  return (
    <Link to="/tasks/$taskId" params={{ taskId: task.id }}>
      <StateTag state={task.state} late={task.late} />
    </Link>
  );
}
