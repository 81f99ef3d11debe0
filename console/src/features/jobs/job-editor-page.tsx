import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Alert, App, Button, Checkbox, Form, Skeleton } from 'antd';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { JobConflict, JobDefinitionView, JobDetail, SchedulePreview } from '../../../../src/admin/contract/jobs.js';
import { ApiError, api, segment } from '../../api/client';
import { useMay, useSession } from '../../api/session';
import { Changeable } from '../../components/changeable';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { failureText } from '../../lib/field-errors';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { one } from '../../lib/search';
import { useUnsaved } from '../../lib/unsaved';
import { ConflictView } from './conflict-view';
import { dropDraft, keepDraft, readDraft } from './draft';
import { DraftRun } from './draft-run';
import { faultsOf, stated } from './editor-faults';
import { EditorFields } from './editor-fields';
import { definitionOf, EMPTY_FORM, formOf, type JobForm } from './job-form';
import { PreviewPanel } from './preview-panel';
import { SectionNav } from './section-nav';
import { weekdayReadings } from './weekday-numbers';
import './jobs.css';

/** The editor of a job, new or known. What is typed survives a lost session; what somebody else saved is never overwritten unseen. */
export function JobEditorPage() {
  const t = useT();
  const { jobId } = useParams({ strict: false }) as { jobId?: string };
  const raw = useSearch({ strict: false });
  const copyFrom = one(raw, 'copyFrom');
  const timeZone = useSession()?.defaultTimeZone ?? EMPTY_FORM.timeZone;
  const source = jobId ?? copyFrom;
  const query = useQuery({
    queryKey: ['job-editor', source],
    queryFn: ({ signal }) => api.get<JobDetail>(`jobs/${segment(source ?? '')}`, undefined, signal),
    enabled: source !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (source !== undefined && !query.data) return <Skeleton active />;
  const job = query.data;
  const initial = job
    ? formOf(stated(job, !jobId), { key: jobId ? job.key : `${job.key}-copy`, group: job.group })
    : { ...EMPTY_FORM, timeZone, group: one(raw, 'group') ?? EMPTY_FORM.group };
  return (
    <Page title={t(jobId ? 'jobs.edit' : 'jobs.new')} object={jobId ? job?.key : undefined}>
      <Editor
        key={source ?? 'new'}
        draftKey={jobId ?? `new:${copyFrom ?? ''}`}
        job={jobId ? (job ?? null) : null}
        initial={initial}
        reload={() => void query.refetch()}
      />
    </Page>
  );
}

function Editor({
  draftKey,
  job,
  initial,
  reload,
}: {
  draftKey: string;
  job: JobDetail | null;
  initial: JobForm;
  reload: () => void;
}) {
  const t = useT();
  const { language } = usePreferences();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { message, modal } = App.useApp();
  const [form] = Form.useForm<JobForm>();
  // Whoever opened the page: a draft stays theirs when the session ends under it.
  const username = useRef(useSession()?.username ?? '').current;
  const draft = useRef(readDraft(username, draftKey));
  const [values, setValues] = useState<JobForm>({ ...initial, ...draft.current?.form });
  // A draft is saved against the version it was typed against, so that what was saved since is seen first.
  const [version, setVersion] = useState(draft.current?.version ?? job?.version ?? 0);
  const [dirty, setDirty] = useState(draft.current !== null);
  const [busy, setBusy] = useState(false);
  const [preview, setPreview] = useState<SchedulePreview | undefined>(undefined);
  const [everySecond, setEverySecond] = useState(false);
  const [conflict, setConflict] = useState<JobConflict | null>(null);
  const may = useMay('jobs.edit', values.group);
  const why = may ? null : t('error.needs', { permission: 'jobs.edit' });
  const saved = useRef(false);
  const takePreview = useCallback((next: SchedulePreview | undefined) => setPreview(next), []);
  useEffect(() => {
    if (dirty && !saved.current) keepDraft(username, draftKey, { version, form: values });
  }, [dirty, username, draftKey, values, version]);
  useUnsaved(
    () => dirty && !saved.current,
    async () => {
      const leave = await modal.confirm({
        title: t('jobs.unsaved'),
        content: t('jobs.unsavedText'),
        okText: t('jobs.leave'),
        cancelText: t('jobs.stay'),
      });
      if (leave) dropDraft(username, draftKey);
      return leave;
    },
  );

  function change(part: Partial<JobForm>): void {
    form.setFieldsValue(part);
    setValues((before) => ({ ...before, ...part }));
    setDirty(true);
  }

  async function save({ against = version, paused = false, body = definitionOf(values) } = {}): Promise<void> {
    setBusy(true);
    try {
      const { body: stored } = job
        ? await api.put<JobDetail>(`jobs/${segment(job.id)}`, { ...body, version: against })
        : await api.post<JobDetail>('jobs', {
            ...body,
            key: values.key,
            group: values.group,
            ...(paused ? { paused: true } : {}),
          });
      saved.current = true;
      dropDraft(username, draftKey);
      await client.invalidateQueries({ queryKey: ['jobs'] });
      message.success(t('groups.saved'));
      await navigate({ to: '/jobs/$jobId', params: { jobId: stored.id } });
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  }

  /** What goes on is made from their version; `definition`, if given, takes the place of what was typed. */
  function settle({ currentVersion }: JobConflict, definition?: JobDefinitionView): void {
    if (definition) {
      const next = formOf(definition, { key: values.key, group: values.group });
      form.setFieldsValue(next);
      setValues(next);
    }
    setVersion(currentVersion);
    setConflict(null);
  }

  function refuse(error: unknown): void {
    const problem = error instanceof ApiError ? error : null;
    if (problem?.code === 'version_conflict' && job) {
      setConflict(problem.members as unknown as JobConflict);
      return;
    }
    const fields = faultsOf(error, language);
    if (fields.length > 0) {
      form.setFields(fields as never);
      form.scrollToField(fields[0]?.name as never, { focus: true });
    }
    message.error(failureText(error, language), 8);
  }

  // What is stored has one meaning: the scheduler's own.
  const asksWeekdays =
    values.kind === 'cron' && values.expression !== initial.expression && weekdayReadings(values.expression) !== null;
  const blocked = asksWeekdays || (preview?.badges.includes('every_second') === true && !everySecond);
  return (
    <div className="editor">
      <SectionNav />
      <Form
        form={form}
        layout="vertical"
        initialValues={values}
        onValuesChange={(_, all) => {
          setValues({ ...values, ...all });
          setDirty(true);
        }}
        onFinish={() => void save()}
      >
        {draft.current && <Alert type="info" showIcon closable title={t('jobs.draftFound')} />}
        <Changeable permission="jobs.edit" group={job?.group}>
          <EditorFields form={form} values={values} change={change} job={job} asksWeekdays={asksWeekdays} />
        </Changeable>
        {preview?.badges.includes('every_second') && (
          <Checkbox checked={everySecond} onChange={({ target }) => setEverySecond(target.checked)}>
            <span className="state-late">{t('jobs.everySecond')}</span>
          </Checkbox>
        )}
        <div className="save-bar row">
          <Button
            type="primary"
            htmlType="submit"
            loading={busy}
            disabled={blocked || !may}
            aria-label={[t(job ? 'groups.save' : 'jobs.saveEnable'), why].filter(Boolean).join(' – ')}
          >
            {t(job ? 'groups.save' : 'jobs.saveEnable')}
          </Button>
          {!job && (
            <Button
              loading={busy}
              disabled={blocked || !may}
              aria-label={[t('jobs.savePaused'), why].filter(Boolean).join(' – ')}
              onClick={() =>
                void form.validateFields().then(
                  () => save({ paused: true }),
                  () => {},
                )
              }
            >
              {t('jobs.savePaused')}
            </Button>
          )}
          <DraftRun job={job} form={form} values={values} initial={initial} refuse={refuse} />
          <Button
            onClick={() => {
              dropDraft(username, draftKey);
              saved.current = true;
              void navigate(job ? { to: '/jobs/$jobId', params: { jobId: job.id } } : { to: '/jobs' });
            }}
          >
            {t('jobs.discard')}
          </Button>
          {why ? <span className="state-late">{why}</span> : dirty && <span className="secondary">{t('jobs.changed')}</span>}
        </div>
      </Form>
      <PreviewPanel
        form={values}
        jobId={job?.id}
        onPreview={takePreview}
        onSpread={may ? () => change({ jitterSeconds: SPREAD_SECONDS }) : undefined}
      />
      {conflict && (
        <ConflictView
          conflict={conflict}
          yours={definitionOf(values) as JobDefinitionView}
          close={() => setConflict(null)}
          takeTheirs={() => {
            settle(conflict, conflict.current);
            setDirty(false);
            dropDraft(username, draftKey);
            reload();
          }}
          keepYours={() => {
            settle(conflict);
            void save({ against: conflict.currentVersion });
          }}
          saveMerged={(merged) => {
            settle(conflict, merged);
            void save({ against: conflict.currentVersion, body: merged });
          }}
        />
      )}
    </div>
  );
}

/** Wide enough to take the weight off a full second, and no task is late by it. */
const SPREAD_SECONDS = 60;
