import { useNavigate } from '@tanstack/react-router';
import { App, Button, Input, Modal, Switch } from 'antd';
import { useId, useState } from 'react';
import type { JobDetail, JobSummary } from '../../../../src/admin/contract/jobs.js';
import { ApiError, api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { ActionButton } from '../../components/action-button';
import { useCodeText, useT } from '../../lib/i18n';
import { indentJson } from '../../lib/json-text';

type Named = Pick<JobSummary, 'id' | 'key' | 'group' | 'state'>;

export function RunButton({ job, refresh }: { job: Named; refresh: () => void }) {
  const t = useT();
  return (
    <ActionButton
      label={t('jobs.run')}
      permission="jobs.run"
      group={job.group}
      object={job.key}
      confirm="none"
      run={(reason) => api.post(`jobs/${segment(job.id)}/trigger`, { reason })}
      done={t('jobs.runDone')}
      onDone={refresh}
    />
  );
}

export function PauseButton({ job, refresh }: { job: Named; refresh: () => void }) {
  const t = useT();
  const path = `jobs/${segment(job.id)}`;
  const common = { permission: 'jobs.pause', group: job.group, object: job.key, onDone: refresh } as const;
  return job.state === 'active' ? (
    <ActionButton
      {...common}
      label={t('jobs.pause')}
      confirm="dialog"
      run={(reason) => api.post(`${path}/pause`, { reason })}
      done={t('jobs.paused')}
    />
  ) : (
    <ActionButton
      {...common}
      label={t('jobs.resume')}
      confirm="none"
      run={(reason) => api.post(`${path}/resume`, { reason })}
      done={t('jobs.resumed')}
    />
  );
}

/** Runs once with other params; the definition stays as it is. */
export function RunWithParams({ job }: { job: JobDetail }) {
  const t = useT();
  const code = useCodeText();
  const navigate = useNavigate();
  const paramsId = useId();
  const forceId = useId();
  const may = useMay('jobs.run', job.group);
  const { message } = App.useApp();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [force, setForce] = useState(false);
  const [busy, setBusy] = useState(false);
  const wrong = jsonFault(text);
  async function run() {
    setBusy(true);
    try {
      const { body } = await api.post<{ taskId: string }>(`jobs/${segment(job.id)}/trigger`, { paramsText: text, force });
      setOpen(false);
      await navigate({ to: '/tasks/$taskId', params: { taskId: body.taskId } });
    } catch (error) {
      message.error(error instanceof ApiError ? `${code('problem', error.code)}: ${error.detail}` : String(error), 8);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <Button
        disabled={!may}
        onClick={() => {
          setText(indentJson(job.paramsText));
          setOpen(true);
        }}
      >
        {t('jobs.runWith')}
      </Button>
      {open && (
        <Modal
          open
          title={`${t('jobs.runWith')} · ${job.key}`}
          okText={t('jobs.run')}
          cancelText={t('action.back')}
          okButtonProps={{ disabled: wrong !== null, loading: busy }}
          onCancel={() => setOpen(false)}
          onOk={() => void run()}
        >
          <div className="stack">
            <label htmlFor={paramsId}>{t('task.params')}</label>
            <Input.TextArea
              id={paramsId}
              className="mono"
              rows={8}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            {wrong && (
              <span role="alert" className="state-failed">
                {wrong}
              </span>
            )}
            <div className="row">
              <Switch id={forceId} checked={force} onChange={setForce} />
              <label htmlFor={forceId}>{t('jobs.force')}</label>
            </div>
          </div>
        </Modal>
      )}
    </>
  );
}

export function jsonFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
