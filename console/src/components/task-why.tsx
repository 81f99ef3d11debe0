import { memo } from 'react';
import type { TaskSummary } from '../../../src/admin/contract/tasks.js';
import { useCodeText } from '../lib/i18n';

import { whyTask } from './why-task';
import { WrittenText } from './written-text';

/** In one line of a list why a task ended as it did, or why it does not run. */
export const TaskWhy = memo(function TaskWhy({ task }: { task: Pick<TaskSummary, 'state' | 'reason' | 'error'> }) {
  return <WrittenText className="error-line" text={whyTask(task, useCodeText())} title />;
});
