import { useQuery } from '@tanstack/react-query';
import { Button, Form, Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import { api } from '../../api/client';
import { useCodeText, useT } from '../../lib/i18n';

export interface GrantRow {
  group?: string;
  role?: string;
}
export const grantRows = (grants: Record<string, string>): GrantRow[] =>
  Object.entries(grants).map(([group, role]) => ({ group, role }));
export const grantsOf = (rows: readonly GrantRow[] = []): Record<string, string> =>
  Object.fromEntries(rows.flatMap(({ group, role }) => (group && role ? [[group, role]] : [])));

/** Roles in single groups. */
export function GrantsField() {
  const t = useT();
  const code = useCodeText();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  return (
    <Form.List name="grants">
      {(fields, { add, remove }) => (
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <legend>{t('users.grants')}</legend>
          {fields.map(({ key, name }) => (
            <div key={key} className="row">
              <Form.Item name={[name, 'group']} style={{ flex: 1 }} rules={[{ required: true }]}>
                <Select
                  aria-label={t('task.group')}
                  options={groups.data?.items.map(({ key: value }) => ({ value, label: value }))}
                />
              </Form.Item>
              <Form.Item name={[name, 'role']} style={{ width: 140 }} rules={[{ required: true }]}>
                <Select
                  aria-label={t('users.role')}
                  options={['viewer', 'operator', 'admin'].map((value) => ({ value, label: code('role', value) }))}
                />
              </Form.Item>
              <Button type="text" onClick={() => remove(name)} style={{ marginBottom: 24 }}>
                {t('users.removeGrant')}
              </Button>
            </div>
          ))}
          <Button size="small" onClick={() => add({})}>
            {t('users.addGrant')}
          </Button>
        </fieldset>
      )}
    </Form.List>
  );
}
