import { useQuery } from '@tanstack/react-query';
import { Checkbox, Input, Select } from 'antd';
import type { ConsoleEndpoints } from '../../../../src/admin/contract/callbacks.js';
import type { AppList } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { useCodeText, useT } from '../../lib/i18n';
import { WINDOWS, type Window } from '../../lib/since';
import { DELIVERY_STATES, type DeliverySearch, windowOf } from './search';

/** A value that is no longer offered stays to be seen, and can be taken out. */
export function DeliveryFilters({
  search,
  onChange,
}: {
  search: DeliverySearch;
  onChange: (change: Partial<DeliverySearch>) => void;
}) {
  const t = useT();
  const code = useCodeText();
  const apps = useQuery({
    queryKey: ['keys', 'apps'],
    queryFn: ({ signal }) => api.get<AppList>('apps', undefined, signal),
    staleTime: 60_000,
  });
  const endpoints = useQuery({
    queryKey: ['callbacks', 'endpoints', search.app],
    queryFn: ({ signal }) => api.get<ConsoleEndpoints>('callbacks/endpoints', { app: search.app }, signal),
    staleTime: 60_000,
    meta: { dear: true },
  });
  return (
    <div className="row callback-filters" data-filter>
      <Select
        mode="multiple"
        allowClear
        aria-label={t('callbacks.filterState')}
        placeholder={t('callbacks.filterState')}
        value={search.state ?? []}
        options={DELIVERY_STATES.map((value) => ({ value, label: code('delivery', value) }))}
        onChange={(state) => onChange({ state: state.length > 0 ? state : undefined })}
      />
      <Checkbox
        checked={search.failing === 'true'}
        onChange={({ target }) => onChange({ failing: target.checked ? 'true' : undefined })}
      >
        {t('callbacks.filterFailing')}
      </Checkbox>
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        aria-label={t('keys.app')}
        placeholder={t('keys.app')}
        value={search.app}
        options={apps.data?.items.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(app: string | undefined) => onChange({ app, endpoint: undefined })}
      />
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        popupMatchSelectWidth={420}
        aria-label={t('callbacks.endpoint')}
        placeholder={t('callbacks.endpoint')}
        value={search.endpoint}
        options={endpoints.data?.items.map(({ id, url }) => ({ value: id, label: url }))}
        onChange={(endpoint: string | undefined) => onChange({ endpoint })}
      />
      <Input.Search
        key={search.task ?? ''}
        allowClear
        style={{ width: 260 }}
        aria-label={t('callbacks.filterTask')}
        placeholder={t('callbacks.filterTask')}
        defaultValue={search.task}
        onSearch={(task) => onChange({ task: task.trim() || undefined })}
      />
      <Select
        aria-label={t('tasks.window')}
        value={windowOf(search)}
        options={WINDOWS.map((value) => ({ value, label: t(`window.${value}`) }))}
        onChange={(since: Window) => onChange({ since })}
      />
    </div>
  );
}
