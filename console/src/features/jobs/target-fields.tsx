import { useQuery } from '@tanstack/react-query';
import { AutoComplete, Form, Input, Select } from 'antd';
import { useMemo } from 'react';
import type { WorkerList, WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api } from '../../api/client';
import { marksIn } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';
import { notJson } from '../../lib/json-text';
import type { EditorFieldsProps } from './editor-fields';
import type { JobForm } from './job-form';
import { sectionId } from './section-nav';

/** What runs, with what, and on which workers: those of the group that are there now say how many could. */
export function TargetFields({ values }: EditorFieldsProps) {
  const t = useT();
  const { data } = useQuery({
    queryKey: ['workers', 'list', { group: values.group }],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', { group: values.group }, signal),
  });
  const workers = useMemo(() => (data?.items ?? []).filter(({ state }) => state !== 'offline'), [data]);
  const handlers = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { handlers: names } of workers) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].map(([value, count]) => ({
      value,
      label: t('jobs.handlerOn', { handler: value, count, all: workers.length }),
    }));
  }, [workers, t]);
  const able = workers.filter((worker) => fits(worker, values)).length;
  const tone = data && able === 0 ? 'state-late' : 'secondary';
  const marks = marksIn(values.paramsText);
  return (
    <section className="panel" id={sectionId('target')} aria-label={t('jobs.target')}>
      <h2>{t('jobs.target')}</h2>
      <Form.Item
        name="handler"
        label={t('jobs.handler')}
        rules={[{ required: true }]}
        extra={
          values.handler && data ? <span className={tone}>{t('jobs.fits', { n: able, all: workers.length })}</span> : undefined
        }
      >
        <AutoComplete options={handlers} />
      </Form.Item>
      <Form.Item
        name="paramsText"
        label={t('task.params')}
        extra={
          marks.length > 0 && (
            <span role="alert" className="state-late">
              {t('jobs.turningMarks', {
                marks: marks.map(({ mark, line, column }) => `${mark} (${line}:${column})`).join(', '),
              })}
            </span>
          )
        }
        rules={[
          {
            validator: async (_, text: string) => {
              const fault = notJson(text, t);
              if (fault !== null) throw new Error(fault);
            },
          },
        ]}
      >
        <Input.TextArea className="mono" autoSize={{ minRows: 3, maxRows: 16 }} />
      </Form.Item>
      <div className="field-pair">
        <Form.Item name="workerTags" label={t('jobs.workerTags')} extra={t('jobs.workerTagsHint')}>
          <Select
            mode="tags"
            tokenSeparators={[',']}
            options={[...new Set(workers.flatMap(({ tags }) => tags))].map((value) => ({ value, label: value }))}
          />
        </Form.Item>
        <Form.Item name="workerZone" label={t('jobs.workerZone')}>
          <Input maxLength={64} />
        </Form.Item>
      </div>
    </section>
  );
}

const fits = (worker: WorkerSummary, { handler, workerTags, workerZone }: JobForm): boolean =>
  worker.handlers.includes(handler) &&
  workerTags.every((tag) => worker.tags.includes(tag)) &&
  (workerZone === '' || worker.zone === workerZone);
