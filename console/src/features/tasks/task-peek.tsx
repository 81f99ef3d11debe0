import { segment } from '../../api/client';
import { Loaded } from '../../components/loaded';
import { Peek } from '../../components/peek';
import { Attempts } from './attempts';
import { ExplainBox } from './explain-box';
import { TaskActions } from './task-actions';
import { TaskFacts } from './task-facts';
import { useTask } from './use-task';

/** A task at a glance, beside the list it was found in. */
export function TaskPeek({ id, close }: { id: string; close: () => void }) {
  const query = useTask(id);
  const task = query.data;
  return (
    <Peek title={<bdi>{task ? (task.job?.key ?? task.handler) : id}</bdi>} to={`/tasks/${segment(id)}`} close={close}>
      <Loaded query={query}>
        {(task) => (
          <>
            <div className="row">
              <TaskActions task={task} />
            </div>
            <ExplainBox task={task} />
            <TaskFacts task={task} narrow />
            {task.attempts.some(({ error }) => error) && <Attempts task={task} />}
          </>
        )}
      </Loaded>
    </Peek>
  );
}
