import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { instantText } from '../../lib/times';
import { RunAgain } from './run-again';
import { hasEnded, useTaskDeeds } from './task-deeds';

/** Another attempt, a new task like it, the end of it; force only once its worker had its time to stop. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const { retry, cancel, force } = useTaskDeeds()(task);
  const stopping = task.cancel !== null && !hasEnded(task);
  const now = useNow(stopping);
  return (
    <>
      <ActionButton {...retry} primary={retry.blocked === null} />
      <RunAgain task={task} />
      <ActionButton {...cancel} />
      {stopping && task.cancel && now >= Date.parse(task.cancel.forceFrom) && <ActionButton {...force} />}
    </>
  );
}

/** How far a cancel is that was asked for. */
export function Stopping({ task }: { task: TaskDetail }) {
  const t = useT();
  const { zone } = usePreferences();
  if (!task.cancel || hasEnded(task)) return null;
  const { askedAt, forceFrom } = task.cancel;
  const text = (at: string) => instantText(Date.parse(at), zone);
  return (
    <div className="panel state-late" role="status">
      {t('task.stopping', { at: text(askedAt), force: text(forceFrom) })}
    </div>
  );
}
