import { useNavigate } from '@tanstack/react-router';
import { Button, Input, Tooltip } from 'antd';
import { useId, useMemo, useState } from 'react';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { marksEscaped } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';
import { indentJson } from '../../lib/json-text';
import { changedLines } from '../../lib/line-diff';

/** A new task like this one, with its params or others; this one stays as it is. */
export function RunAgain({ task }: { task: TaskDetail }) {
  const t = useT();
  const may = useMay('tasks.retry', task.group);
  const [open, setOpen] = useState(false);
  const why = may ? null : t('error.needs', { permission: 'tasks.retry' });
  return (
    <>
      <Tooltip title={why}>
        <Button
          aria-disabled={why !== null}
          className={why === null ? undefined : 'is-disabled'}
          aria-label={[t('task.runAgain'), task.id, why].filter(Boolean).join(' – ')}
          onClick={() => why === null && setOpen(true)}
        >
          {t('task.runAgain')}
        </Button>
      </Tooltip>
      {open && <RunAgainDialog task={task} close={() => setOpen(false)} />}
    </>
  );
}

function RunAgainDialog({ task, close }: { task: TaskDetail; close: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const paramsId = useId();
  const reasonId = useId();
  const original = useMemo(() => marksEscaped(indentJson(task.paramsText ?? 'null')), [task.paramsText]);
  const [text, setText] = useState(original);
  const [reason, setReason] = useState('');
  const { busy, attempt } = useAttempt();
  const fault = faultOf(text);
  const lines = changedLines(original, text);
  async function create() {
    const body = { reason: reason.trim() || undefined, ...(text === original ? {} : { paramsText: text }) };
    const { body: made } = await api.post<{ taskId: string }>(`tasks/${segment(task.id)}/run-again`, body);
    close();
    await navigate({ to: '/tasks/$taskId', params: { taskId: made.taskId } });
  }
  return (
    <Dialog
      width={640}
      title={t('task.runAgainTitle')}
      okText={t('task.create')}
      cancelText={t('action.back')}
      okButtonProps={{ disabled: fault !== null, loading: busy }}
      onCancel={close}
      onOk={() => void attempt(create)}
    >
      <div className="stack">
        <span>{t('task.runAgainHint')}</span>
        <label htmlFor={paramsId}>{t('task.params')}</label>
        <Input.TextArea id={paramsId} className="mono" rows={10} value={text} onChange={({ target }) => setText(target.value)} />
        {fault ? (
          <span role="alert" className="state-failed">
            {fault}
          </span>
        ) : (
          <span className="secondary">
            {lines.length === 0 ? t('task.paramsSame') : t('task.paramsChanged', { n: lines.length })}
          </span>
        )}
        {lines.length > 0 && (
          <pre className="mono diff">
            {lines.map(({ kind, text: line, at }) => (
              <div key={`${kind}${at}`} data-kind={kind}>
                {kind === 'gone' ? '− ' : '+ '}
                <bdi>{line}</bdi>
              </div>
            ))}
          </pre>
        )}
        <label htmlFor={reasonId}>{t('action.reason')}</label>
        <Input id={reasonId} value={reason} maxLength={255} onChange={({ target }) => setReason(target.value)} />
      </div>
    </Dialog>
  );
}

function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
