import { useQuery } from '@tanstack/react-query';
import { DatePicker, Form, Input, Select } from 'antd';
import type { Dayjs } from 'dayjs';
import type { ReactNode } from 'react';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import { api } from '../../api/client';
import { useT } from '../../lib/i18n';

/** What may be said of a key when it is made, and changed later. */
export interface KeyFieldValues {
  label: string;
  groups?: string[];
  scopes?: string[];
  ipAllow?: string[];
  expiresAt?: Dayjs | null;
}
const SCOPES = ['tasks:read', 'tasks:write', 'jobs:read', 'jobs:write', 'webhooks:read', 'webhooks:write'];

/** `owner`: asked for before the scopes of a partner's key. `fresh`: of a key to be made, no scopes are all of them. */
export function KeyFields({ kind, owner, fresh = false }: { kind: 'partner' | 'worker'; owner?: ReactNode; fresh?: boolean }) {
  const t = useT();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  return (
    <>
      {kind === 'partner' ? (
        <>
          {owner}
          <Form.Item
            name="scopes"
            label={t('keys.scopes')}
            extra={fresh ? t('keys.scopesHint') : undefined}
            rules={[{ required: !fresh }]}
          >
            <Select mode="multiple" options={SCOPES.map((value) => ({ value, label: value }))} />
          </Form.Item>
        </>
      ) : (
        <Form.Item name="groups" label={t('workers.groups')} rules={[{ required: true }]}>
          <Select mode="multiple" options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))} />
        </Form.Item>
      )}
      <Form.Item name="label" label={t('keys.label')} rules={[{ required: true }]}>
        <Input maxLength={128} />
      </Form.Item>
      <Form.Item name="ipAllow" label={t('keys.ipAllow')} extra={t('keys.ipAllowHint')}>
        <Select mode="tags" tokenSeparators={[',', ' ']} open={false} />
      </Form.Item>
      <Form.Item name="expiresAt" label={t('keys.expires')}>
        <DatePicker showTime />
      </Form.Item>
    </>
  );
}
