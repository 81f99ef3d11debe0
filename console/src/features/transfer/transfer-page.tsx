import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'antd';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { oneOf } from '../../lib/search';
import { ExportPanel } from './export-panel';
import { ImportPanel } from './import-panel';
import './transfer.css';

/** Groups and jobs out into a file, and in again. */
export function TransferPage() {
  const t = useT();
  const navigate = useNavigate();
  const tab = oneOf(useSearch({ strict: false }), 'tab', ['import'] as const) ?? 'export';
  return (
    <Page title={t('nav.transfer')}>
      <Tabs
        activeKey={tab}
        onChange={(key) => void navigate({ to: '/transfer', search: { tab: key === 'export' ? undefined : key } as never })}
        items={[
          { key: 'export', label: t('transfer.export'), children: <ExportPanel /> },
          { key: 'import', label: t('transfer.import'), children: <ImportPanel /> },
        ]}
      />
    </Page>
  );
}
