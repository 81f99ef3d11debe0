import { useQuery } from '@tanstack/react-query';
import { Form, Input, Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { ConsoleJobList } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { useT } from '../../lib/i18n';
import type { EditorFieldsProps } from './editor-fields';
import { sectionId } from './section-nav';

/** What it is called, whose it is, and what for. */
export function BasicsFields({ values, job }: EditorFieldsProps) {
  const t = useT();
  const isNew = job === null;
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  /** Asked when the field is left, and again by the server when it is saved: who is first has it. */
  async function isFree(key: string): Promise<void> {
    if (!isNew || !key) return;
    const { items } = await api.get<ConsoleJobList>('jobs', { q: key, group: values.group, limit: 100 });
    if (items.some((each) => each.key === key && each.group === values.group)) throw new Error(t('jobs.keyTaken'));
  }
  return (
    <section className="panel" id={sectionId('basics')} aria-label={t('jobs.basics')}>
      <h2>{t('jobs.basics')}</h2>
      <div className="field-pair">
        <Form.Item
          name="key"
          label={t('jobs.key')}
          validateTrigger="onBlur"
          rules={[{ required: true }, { validator: (_, key: string) => isFree(key) }]}
        >
          <Input disabled={!isNew || undefined} maxLength={64} />
        </Form.Item>
        <Form.Item name="group" label={t('task.group')} rules={[{ required: true }]}>
          <Select disabled={!isNew || undefined} options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))} />
        </Form.Item>
      </div>
      <div className="field-pair">
        <Form.Item name="owner" label={t('jobs.owner')}>
          <Input maxLength={128} />
        </Form.Item>
        <Form.Item name="tags" label={t('workers.tags')}>
          <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[',']} />
        </Form.Item>
      </div>
      <Form.Item name="description" label={t('jobs.description')}>
        <Input.TextArea autoSize={{ minRows: 2 }} maxLength={4096} />
      </Form.Item>
    </section>
  );
}
