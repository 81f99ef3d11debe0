import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'antd';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { oneOf } from '../../lib/search';
import { DeliveriesList } from './deliveries-list';
import { EndpointsList } from './endpoints-list';
import './callbacks.css';

/** What is told to partners, and to whom. */
export function CallbacksPage() {
  const t = useT();
  const navigate = useNavigate();
  const tab = oneOf(useSearch({ strict: false }), 'tab', ['endpoints'] as const) ?? 'deliveries';
  return (
    <Page title={t('nav.callbacks')}>
      <Tabs
        activeKey={tab}
        destroyOnHidden
        onChange={(key) => void navigate({ to: '/callbacks', search: { tab: key === 'deliveries' ? undefined : key } as never })}
        items={[
          { key: 'deliveries', label: t('callbacks.deliveries'), children: <DeliveriesList /> },
          { key: 'endpoints', label: t('callbacks.endpoints'), children: <EndpointsList /> },
        ]}
      />
    </Page>
  );
}
