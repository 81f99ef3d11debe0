import { useNavigate } from '@tanstack/react-router';
import { Button, Input, Switch, Tooltip } from 'antd';
import { useId, useState } from 'react';
import type { JobDetail, JobSummary } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { ActionButton } from '../../components/action-button';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { useJobDeeds } from '../../components/job-deeds';
import { marksEscaped } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';
import { indentJson, notJson } from '../../lib/json-text';

type Named = Pick<JobSummary, 'id' | 'key' | 'group' | 'state'>;

/** Running it once, and pausing it or setting it going again. */
export function RunAndTurn({ job }: { job: Named }) {
  const { run, turn } = useJobDeeds()(job);
  return (
    <>
      <ActionButton {...run} />
      <ActionButton {...turn} />
    </>
  );
}

/** Runs once with other params; the definition stays as it is. */
export function RunWithParams({ job }: { job: JobDetail }) {
  const t = useT();
  const navigate = useNavigate();
  const paramsId = useId();
  const forceId = useId();
  const may = useMay('jobs.run', job.group);
  const why = may ? null : t('error.needs', { permission: 'jobs.run' });
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [force, setForce] = useState(false);
  const { busy, attempt } = useAttempt();
  const wrong = notJson(text, t);
  async function run() {
    const { body } = await api.post<{ taskId: string }>(`jobs/${segment(job.id)}/trigger`, { paramsText: text, force });
    setOpen(false);
    await navigate({ to: '/tasks/$taskId', params: { taskId: body.taskId } });
  }
  return (
    <>
      <Tooltip title={why}>
        <Button
          aria-disabled={!may}
          className={may ? undefined : 'is-disabled'}
          aria-label={[t('jobs.runWith'), job.key, why].filter(Boolean).join(' – ')}
          onClick={() => {
            if (!may) return;
            setText(marksEscaped(indentJson(job.paramsText)));
            setOpen(true);
          }}
        >
          {t('jobs.runWith')}
        </Button>
      </Tooltip>
      {open && (
        <Dialog
          title={`${t('jobs.runWith')} · ${job.key}`}
          okText={t('jobs.run')}
          cancelText={t('action.back')}
          okButtonProps={{ disabled: wrong !== null, loading: busy }}
          onCancel={() => setOpen(false)}
          onOk={() => void attempt(run)}
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
        </Dialog>
      )}
    </>
  );
}
