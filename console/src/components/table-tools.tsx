import { DownloadOutlined, SettingOutlined } from '@ant-design/icons';
import { Button, Checkbox, Dropdown, Popover, Segmented } from 'antd';
import { memo, type ReactNode } from 'react';
import { useT } from '../lib/i18n';
import { setPreferences, usePreferences } from '../lib/preferences';
import { browserZone } from '../lib/times';

export interface ToolColumn {
  key: string;
  title: ReactNode;
  optional?: true;
}
/** What a list leaves out for whoever has chosen nothing. */
export const hiddenAtFirst = (columns: readonly ToolColumn[]): string[] =>
  columns.filter(({ optional }) => optional).map(({ key }) => key);

/** Which columns a list shows and how high its rows are: kept for this browser. The first column stays, so that a row can be named. */
export const ColumnChooser = memo(function ColumnChooser({
  name,
  label,
  columns,
}: {
  name: string;
  label: string;
  columns: readonly ToolColumn[];
}) {
  const t = useT();
  const { hiddenColumns, density } = usePreferences();
  const hidden = hiddenColumns[name] ?? hiddenAtFirst(columns);
  const set = (next: string[] | undefined) => {
    const { [name]: _, ...others } = hiddenColumns;
    setPreferences({ hiddenColumns: next === undefined ? others : { ...others, [name]: next } });
  };
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      content={
        <fieldset className="column-chooser" aria-label={t('table.columnsOf', { name: label })}>
          {columns.slice(1).map(({ key, title }) => (
            <Checkbox
              key={key}
              checked={!hidden.includes(key)}
              onChange={({ target }) => set(target.checked ? hidden.filter((each) => each !== key) : [...hidden, key])}
            >
              {title}
            </Checkbox>
          ))}
          <Segmented
            aria-label={t('table.density')}
            value={density}
            options={(['compact', 'comfortable'] as const).map((value) => ({ value, label: t(`me.density.${value}`) }))}
            onChange={(value) => setPreferences({ density: value })}
          />
          <Button size="small" disabled={hiddenColumns[name] === undefined} onClick={() => set(undefined)}>
            {t('table.resetColumns')}
          </Button>
        </fieldset>
      }
    >
      <Button size="small" icon={<SettingOutlined />}>
        {t('table.columns')}
      </Button>
    </Popover>
  );
});

/** The whole filtered list as a file; `address` with its filters, to which the format and the zone of its times are added. */
export const ExportButton = memo(function ExportButton({ address }: { address: string }) {
  const t = useT();
  const zone = usePreferences().zone ?? browserZone();
  const href = (format: 'csv' | 'ndjson') =>
    `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams({ format, zone })}`;
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: [
          {
            key: 'csv',
            label: (
              <a href={href('csv')} download>
                {t('table.exportCsv', { zone })}
              </a>
            ),
          },
          {
            key: 'ndjson',
            label: (
              <a href={href('ndjson')} download>
                {t('table.exportLines')}
              </a>
            ),
          },
        ],
      }}
    >
      <Button size="small" icon={<DownloadOutlined />} title={t('table.exportHint')}>
        {t('table.export')}
      </Button>
    </Dropdown>
  );
});
