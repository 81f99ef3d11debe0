import { Form, Input, InputNumber, Select } from 'antd';
import { useMemo, useState } from 'react';
import { useT } from '../../lib/i18n';
import { CronBuilder } from './cron-builder';
import { type CronShape, shapeOf } from './cron-shapes';
import type { EditorFieldsProps } from './editor-fields';
import { WAITING_KINDS } from './job-form';
import { JOB_KINDS } from './search';
import { sectionId } from './section-nav';
import { UpstreamField } from './upstream-field';
import { WeekdayQuestion } from './weekday-question';

/** What makes it fire, and when it may. */
export function TriggerFields({ values, change, job, asksWeekdays }: EditorFieldsProps) {
  const t = useT();
  const [tab, setTab] = useState<CronShape['tab']>(() => shapeOf(values.expression).tab);
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value, label: value })), []);
  return (
    <section className="panel" id={sectionId('trigger')} aria-label={t('jobs.trigger')}>
      <h2>{t('jobs.trigger')}</h2>
      <Form.Item name="kind" label={t('jobs.kind')}>
        <Select options={JOB_KINDS.map((value) => ({ value, label: t(`jobs.kind.${value}`) }))} />
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
          <div className="field-pair">
            <Form.Item name="dstGap" label={t('jobs.dstGap')}>
              <Select
                options={(['first_valid', 'skip'] as const).map((value) => ({ value, label: t(`jobs.dstGap.${value}`) }))}
              />
            </Form.Item>
            <Form.Item name="dstOverlap" label={t('jobs.dstOverlap')}>
              <Select options={(['once', 'twice'] as const).map((value) => ({ value, label: t(`jobs.dstOverlap.${value}`) }))} />
            </Form.Item>
          </div>
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
      {values.kind === 'event' && (
        <Form.Item name="eventName" label={t('jobs.eventName')} rules={[{ required: true }]}>
          <Input className="mono" maxLength={128} placeholder="order.paid" />
        </Form.Item>
      )}
      {WAITING_KINDS.has(values.kind) && (
        <Form.Item
          name="upstreams"
          label={t('jobs.waitsFor')}
          rules={[{ required: values.kind === 'upstream' }]}
          extra={t(values.kind === 'upstream' ? 'jobs.upstreamHint' : 'jobs.upstreamPeriodHint')}
        >
          <UpstreamField job={job} group={values.group} />
        </Form.Item>
      )}
      <div className="field-pair">
        <Form.Item name="timeZone" label={t('jobs.zone')} rules={[{ required: true }]}>
          <Select showSearch options={zones} />
        </Form.Item>
        <Form.Item name="jitterSeconds" label={t('jobs.jitter')}>
          <InputNumber min={0} />
        </Form.Item>
      </div>
      <div className="field-pair">
        <Form.Item name="startAt" label={t('jobs.startAt')}>
          <Input placeholder="2027-01-01T00:00:00Z" />
        </Form.Item>
        <Form.Item name="endAt" label={t('jobs.endAt')}>
          <Input placeholder="2027-12-31T00:00:00Z" />
        </Form.Item>
      </div>
    </section>
  );
}
