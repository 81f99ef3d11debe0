import { useQuery } from '@tanstack/react-query';
import { AutoComplete, Form, type FormInstance, Input, InputNumber, Select } from 'antd';
import { useMemo, useState } from 'react';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { WorkerList } from '../../../../src/admin/contract/workers.js';
import { api } from '../../api/client';
import { useCodeText, useT } from '../../lib/i18n';
import { CronBuilder } from './cron-builder';
import { type CronShape, shapeOf } from './cron-shapes';
import { jsonFault } from './job-actions';
import type { JobForm } from './job-form';
import { WeekdayQuestion } from './weekday-question';

interface Props {
  form: FormInstance<JobForm>;
  values: JobForm;
  change: (change: Partial<JobForm>) => void;
  isNew: boolean;
  /** The expression's weekday numbers may be counted in two ways. */
  asksWeekdays: boolean;
}

export function EditorFields(props: Props) {
  return (
    <>
      <Basics {...props} />
      <Trigger {...props} />
      <Execution {...props} />
    </>
  );
}

function Basics({ values, isNew }: Props) {
  const t = useT();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const workers = useQuery({
    queryKey: ['workers', 'list', { group: values.group }],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', { group: values.group }, signal),
  });
  const handlers = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { handlers: names } of workers.data?.items ?? [])
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const all = workers.data?.items.length ?? 0;
    return [...counts].map(([value, count]) => ({ value, label: t('jobs.handlerOn', { handler: value, count, all }) }));
  }, [workers.data, t]);
  return (
    <section className="panel" aria-label={t('jobs.basics')}>
      <h2>{t('jobs.basics')}</h2>
      <Form.Item name="key" label={t('jobs.key')} rules={[{ required: true }]}>
        <Input disabled={!isNew} maxLength={64} />
      </Form.Item>
      <Form.Item name="group" label={t('task.group')} rules={[{ required: true }]}>
        <Select disabled={!isNew} options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))} />
      </Form.Item>
      <Form.Item name="handler" label={t('jobs.handler')} rules={[{ required: true }]}>
        <AutoComplete options={handlers} />
      </Form.Item>
      <Form.Item
        name="paramsText"
        label={t('task.params')}
        rules={[
          {
            validator: (_, text: string) =>
              jsonFault(text) === null ? Promise.resolve() : Promise.reject(new Error(jsonFault(text) ?? '')),
          },
        ]}
      >
        <Input.TextArea className="mono" autoSize={{ minRows: 3, maxRows: 16 }} />
      </Form.Item>
      <Form.Item name="owner" label={t('jobs.owner')}>
        <Input maxLength={128} />
      </Form.Item>
      <Form.Item name="tags" label={t('workers.tags')}>
        <Select mode="tags" open={false} tokenSeparators={[',']} />
      </Form.Item>
      <Form.Item name="description" label={t('settings.description')}>
        <Input.TextArea autoSize={{ minRows: 2 }} maxLength={4096} />
      </Form.Item>
    </section>
  );
}

const KINDS = ['cron', 'every', 'after', 'once', 'manual'] as const;

function Trigger({ values, change, asksWeekdays }: Props) {
  const t = useT();
  const [tab, setTab] = useState<CronShape['tab']>(() => shapeOf(values.expression).tab);
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value, label: value })), []);
  const other = !(KINDS as readonly string[]).includes(values.kind);
  return (
    <section className="panel" aria-label={t('jobs.trigger')}>
      <h2>{t('jobs.trigger')}</h2>
      <Form.Item name="kind" label={t('jobs.kind')}>
        <Select
          options={[
            ...KINDS.map((value) => ({ value: value as string, label: t(`jobs.kind.${value}`) })),
            ...(other ? [{ value: values.kind as string, label: t(`jobs.kind.${values.kind}`) }] : []),
          ]}
        />
      </Form.Item>
      {values.kind === 'cron' && (
        <>
          <Form.Item label={t('jobs.schedule')} required>
            <CronBuilder value={values.expression} onChange={(expression) => change({ expression })} tab={tab} onTab={setTab} />
          </Form.Item>
          {asksWeekdays && (
            <Form.Item>
              <WeekdayQuestion expression={values.expression} onAnswer={(expression) => change({ expression })} />
            </Form.Item>
          )}
          <Form.Item name="expression" noStyle>
            <input type="hidden" />
          </Form.Item>
          <Form.Item name="dstGap" label={t('jobs.dstGap')}>
            <Select options={(['first_valid', 'skip'] as const).map((value) => ({ value, label: t(`jobs.dstGap.${value}`) }))} />
          </Form.Item>
          <Form.Item name="dstOverlap" label={t('jobs.dstOverlap')}>
            <Select options={(['once', 'twice'] as const).map((value) => ({ value, label: t(`jobs.dstOverlap.${value}`) }))} />
          </Form.Item>
        </>
      )}
      {values.kind === 'every' && (
        <Form.Item name="everySeconds" label={t('jobs.everySeconds')} rules={[{ required: true }]}>
          <InputNumber min={1} />
        </Form.Item>
      )}
      {values.kind === 'after' && (
        <Form.Item name="delaySeconds" label={t('jobs.delaySeconds')} rules={[{ required: true }]}>
          <InputNumber min={0} />
        </Form.Item>
      )}
      {values.kind === 'once' && (
        <Form.Item name="at" label={t('jobs.at')} rules={[{ required: true }]}>
          <Input placeholder="2027-01-01T03:00:00Z" />
        </Form.Item>
      )}
      <Form.Item name="timeZone" label={t('jobs.zone')} rules={[{ required: true }]}>
        <Select showSearch options={zones} />
      </Form.Item>
      <Form.Item name="startAt" label={t('jobs.startAt')}>
        <Input placeholder="2027-01-01T00:00:00Z" />
      </Form.Item>
      <Form.Item name="endAt" label={t('jobs.endAt')}>
        <Input placeholder="2027-12-31T00:00:00Z" />
      </Form.Item>
      <Form.Item name="jitterSeconds" label={t('jobs.jitter')}>
        <InputNumber min={0} />
      </Form.Item>
    </section>
  );
}

function Execution({ values }: Props) {
  const t = useT();
  const code = useCodeText();
  const choices = (prefix: string, names: readonly string[]) => names.map((value) => ({ value, label: code(prefix, value) }));
  return (
    <section className="panel" aria-label={t('jobs.execution')}>
      <h2>{t('jobs.execution')}</h2>
      <Form.Item name="overlap" label={t('jobs.overlap')} extra={code('overlapHint', values.overlap)}>
        <Select options={choices('overlap', ['skip', 'queue', 'replace', 'allow'])} />
      </Form.Item>
      {values.overlap === 'allow' && (
        <Form.Item name="maxParallel" label={t('jobs.maxParallel')}>
          <InputNumber min={1} max={1000} />
        </Form.Item>
      )}
      <Form.Item name="misfire" label={t('jobs.misfire')} extra={code('misfireHint', values.misfire)}>
        <Select options={choices('misfire', ['fire_once', 'skip', 'fire_all'])} />
      </Form.Item>
      <Form.Item name="misfireWindowSeconds" label={t('jobs.misfireWindow')}>
        <InputNumber min={0} />
      </Form.Item>
      <Form.Item name="timeoutSeconds" label={t('jobs.timeoutSeconds')}>
        <InputNumber min={0} placeholder={t('jobs.byGroup')} />
      </Form.Item>
      <Form.Item name="retryKind" label={t('jobs.retry')}>
        <Select options={choices('retryKind', ['default', 'exponential', 'fixed', 'list', 'none'])} />
      </Form.Item>
      {(values.retryKind === 'exponential' || values.retryKind === 'fixed') && (
        <>
          <Form.Item name="maxRetries" label={t('jobs.maxRetries')}>
            <InputNumber min={0} max={100} />
          </Form.Item>
          <Form.Item name="retrySeconds" label={t('jobs.retrySeconds')}>
            <InputNumber min={0} />
          </Form.Item>
        </>
      )}
      {values.retryKind === 'list' && (
        <Form.Item name="retryList" label={t('jobs.retryList')}>
          <Input />
        </Form.Item>
      )}
      <Form.Item name="priority" label={t('task.priority')}>
        <InputNumber min={1} max={10} placeholder={t('jobs.byGroup')} />
      </Form.Item>
      <Form.Item name="routing" label={t('groups.routing')}>
        <Select
          allowClear
          placeholder={t('groups.routingDefault')}
          options={choices('routing', ['equal_cost', 'round_robin', 'random', 'consistent_hash'])}
        />
      </Form.Item>
      <Form.Item name="repeatable" label={t('jobs.repeatable')} extra={t('jobs.repeatableHint')}>
        <Select
          options={[
            { value: 'default', label: t('jobs.byGroup') },
            { value: 'yes', label: t('jobs.yes') },
            { value: 'no', label: t('jobs.no') },
          ]}
        />
      </Form.Item>
    </section>
  );
}
