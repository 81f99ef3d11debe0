import { Form, Input, InputNumber, Select } from 'antd';
import { useCodeText, useT } from '../../lib/i18n';
import type { EditorFieldsProps } from './editor-fields';
import { sectionId } from './section-nav';

/** How it behaves when it runs: beside itself, after a standstill, when it takes long, when it fails. */
export function ExecutionFields({ values }: EditorFieldsProps) {
  const t = useT();
  const code = useCodeText();
  const choices = (prefix: string, names: readonly string[]) => names.map((value) => ({ value, label: code(prefix, value) }));
  return (
    <section className="panel" id={sectionId('execution')} aria-label={t('jobs.execution')}>
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
      <div className="field-pair">
        <Form.Item name="timeoutSeconds" label={t('jobs.timeoutSeconds')}>
          <InputNumber min={0} placeholder={t('jobs.byGroup')} />
        </Form.Item>
        <Form.Item name="priority" label={t('task.priority')}>
          <InputNumber min={1} max={10} placeholder={t('jobs.byGroup')} />
        </Form.Item>
      </div>
      <Form.Item name="retryKind" label={t('jobs.retry')}>
        <Select options={choices('retryKind', ['default', 'exponential', 'fixed', 'list', 'none'])} />
      </Form.Item>
      {(values.retryKind === 'exponential' || values.retryKind === 'fixed') && (
        <div className="field-pair">
          <Form.Item name="maxRetries" label={t('jobs.maxRetries')}>
            <InputNumber min={0} max={100} />
          </Form.Item>
          <Form.Item name="retrySeconds" label={t('jobs.retrySeconds')}>
            <InputNumber min={0} />
          </Form.Item>
        </div>
      )}
      {values.retryKind === 'list' && (
        <Form.Item name="retryList" label={t('jobs.retryList')}>
          <Input />
        </Form.Item>
      )}
      <Form.Item name="routing" label={t('groups.routing')}>
        <Select
          allowClear
          placeholder={t('jobs.inherited')}
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
      <div className="field-pair">
        <Form.Item name="shardKind" label={t('jobs.shards')} extra={t('jobs.shardsHint')}>
          <Select
            options={(['none', 'number', 'broadcast'] as const).map((value) => ({ value, label: t(`jobs.shards.${value}`) }))}
          />
        </Form.Item>
        {values.shardKind === 'number' && (
          <Form.Item name="shardCount" label={t('jobs.shardCount')}>
            <InputNumber min={1} max={1000} />
          </Form.Item>
        )}
        {values.shardKind !== 'none' && (
          <Form.Item name="onShardFailure" label={t('jobs.onShardFailure')}>
            <Select options={choices('onShardFailure', ['default', 'continue', 'stop'])} />
          </Form.Item>
        )}
      </div>
    </section>
  );
}
