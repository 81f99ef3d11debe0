import { useParams } from '@tanstack/react-router';
import { TaskCallbacks } from '../features/callbacks/task-callbacks';
import { TaskPage } from '../features/tasks/task-page';

/** A task, and what was told of it: two features that need not know each other. */
export function TaskRoute() {
  const { taskId } = useParams({ strict: false }) as { taskId: string };
  return (
    <>
      <TaskPage />
      <TaskCallbacks taskId={taskId} />
    </>
  );
}
