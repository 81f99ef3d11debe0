import { useQueryClient } from '@tanstack/react-query';
import { Button, type FormInstance, Switch, Tooltip } from 'antd';
import { useId, useState } from 'react';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { Dialog } from '../../components/dialog';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { indentJson } from '../../lib/json-text';
import { definitionOf, type JobForm } from './job-form';

interface DraftRunProps {
  /** Null: it is not there yet, so there is nothing to run. */
  job: JobDetail | null;
  form: FormInstance<JobForm>;
  values: JobForm;
  /** What is saved. */
  initial: JobForm;
  refuse: (error: unknown) => void;
}

/** Runs the saved job once with the params of the draft. Nothing is saved, and what else was typed takes no part. */
export function DraftRun({ job, form, values, initial, refuse }: DraftRunProps) {
  const t = useT();
  const may = useMay('jobs.run', job?.group ?? null);
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const why = !may ? t('error.needs', { permission: 'jobs.run' }) : job ? null : t('jobs.runDraftNew');
  async function ask() {
    if (why !== null) return;
    try {
      await form.validateFields(['paramsText']);
      setOpen(true);
    } catch {
      form.scrollToField('paramsText', { focus: true });
    }
  }
  return (
    <>
      <Tooltip title={why}>
        <Button
          aria-disabled={why !== null}
          className={why === null ? undefined : 'is-disabled'}
          aria-label={[t('jobs.runDraft'), why].filter(Boolean).join(' – ')}
          onClick={() => void ask()}
        >
          {t('jobs.runDraft')}
        </Button>
      </Tooltip>
      {made && (
        <span role="status">
          {t('jobs.runDraftMade')}{' '}
          <a className="mono" href={withBase(`tasks/${segment(made)}`)} target="_blank" rel="noreferrer">
            {made}
          </a>
        </span>
      )}
      {open && job && (
        <DraftRunDialog
          job={job}
          paramsText={values.paramsText}
          others={othersChanged(initial, values)}
          made={setMade}
          refuse={refuse}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface DraftRunDialogProps {
  job: JobDetail;
  paramsText: string;
  others: string[];
  made: (taskId: string) => void;
  refuse: (error: unknown) => void;
  close: () => void;
}

function DraftRunDialog({ job, paramsText, others, made, refuse, close }: DraftRunDialogProps) {
  const t = useT();
  const client = useQueryClient();
  const forceId = useId();
  const [force, setForce] = useState(false);
  const [busy, setBusy] = useState(false);
  async function run() {
    if (busy) return;
    setBusy(true);
    try {
      const { body } = await api.post<{ taskId: string }>(`jobs/${segment(job.id)}/trigger`, { paramsText, force });
      made(body.taskId);
      close();
      void client.invalidateQueries({ queryKey: ['tasks'] });
    } catch (error) {
      close();
      refuse(error);
    }
  }
  return (
    <Dialog
      title={`${t('jobs.runDraft')} · ${job.key}`}
      okText={t('jobs.run')}
      cancelText={t('action.back')}
      okButtonProps={{ loading: busy }}
      onCancel={close}
      onOk={() => void run()}
    >
      <div className="stack">
        <span>{t('jobs.runDraftHint')}</span>
        {others.length > 0 && (
          <span className="state-late">
            {t('jobs.runDraftOthers')} <code>{others.join(', ')}</code>
          </span>
        )}
        <pre className="mono draft-params">
          <bdi>{indentJson(paramsText)}</bdi>
        </pre>
        <div className="row">
          <Switch id={forceId} checked={force} onChange={setForce} />
          <label htmlFor={forceId}>{t('jobs.force')}</label>
        </div>
      </div>
    </Dialog>
  );
}

/** Members of the definition besides the params that differ from what is saved. */
function othersChanged(initial: JobForm, values: JobForm): string[] {
  const saved = definitionOf(initial) as unknown as Record<string, unknown>;
  const typed = definitionOf(values) as unknown as Record<string, unknown>;
  const names = [...new Set([...Object.keys(saved), ...Object.keys(typed)])];
  return names.filter((name) => name !== 'paramsText' && JSON.stringify(saved[name]) !== JSON.stringify(typed[name]));
}
