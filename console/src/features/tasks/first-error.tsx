import { App, Button } from 'antd';
import type { TaskLogs } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { useAttempt } from '../../components/attempt';
import { useT } from '../../lib/i18n';

const LINES = 1_000;

/** Goes to the first line that tells of an error, however far from the end it is. */
export function FirstError({
  taskId,
  attempt,
  found,
}: {
  taskId: string;
  attempt: string | undefined;
  found: (line: string) => void;
}) {
  const t = useT();
  const { message } = App.useApp();
  const { busy, attempt: make } = useAttempt();
  async function look() {
    const line = await firstError(taskId, attempt);
    if (line === null) message.info(t('task.logsNoError'));
    else found(line);
  }
  return (
    <Button loading={busy} onClick={() => void make(look)}>
      {t('task.logsFirstError')}
    </Button>
  );
}

/** Null if there is none yet: of a task that runs the end of the log is where the cursor stays. */
async function firstError(taskId: string, attempt: string | undefined): Promise<string | null> {
  for (let cursor: string | undefined; ; ) {
    const query = { level: 'error', attempt, cursor, limit: LINES };
    const { lines, nextCursor } = await api.get<TaskLogs>(`tasks/${segment(taskId)}/logs`, query);
    const [first] = lines;
    if (first) return `${first.attempt}.${first.seq}`;
    if (nextCursor === null || nextCursor === cursor) return null;
    cursor = nextCursor;
  }
}
