import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from 'antd';
import type { AppList } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { Empty } from '../../components/empty';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { RejectedList } from './rejected-list';
import './tester.css';

const UNKNOWN = 'unknown';

/** What was refused of all keys of a partner, or with keys that do not exist. */
export function RejectedPage() {
  const t = useT();
  const navigate = useNavigate();
  const may = useMay('keys.manage');
  const app = one(useSearch({ strict: false }), 'app');
  const apps = useQuery({ queryKey: ['keys', 'apps'], queryFn: ({ signal }) => api.get<AppList>('apps', undefined, signal) });
  const options = [
    { value: UNKNOWN, label: t('rejected.unknownKeys'), disabled: !may },
    ...(apps.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <Page title={t('rejected.title')}>
      <span className="secondary">{t('rejected.note')}</span>
      <div className="row" data-filter>
        <Select
          showSearch={{ optionFilterProp: 'label' }}
          aria-label={t('keys.app')}
          style={{ width: 280 }}
          value={app ?? UNKNOWN}
          options={options}
          onChange={(value: string) =>
            void navigate({ to: '/keys/rejected', search: (value === UNKNOWN ? {} : { app: value }) as never })
          }
        />
      </div>
      {app === undefined && !may ? (
        <Empty text={t('error.needs', { permission: 'keys.manage' })} />
      ) : (
        <RejectedList query={app === undefined ? null : { app, limit: 200 }} withKey />
      )}
    </Page>
  );
}
