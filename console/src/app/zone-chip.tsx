import { Select } from 'antd';
import { useMemo } from 'react';
import { useT } from '../lib/i18n';
import { setPreferences, usePreferences } from '../lib/preferences';
import { browserZone } from '../lib/times';

/** The zone all instants are shown in; always visible. */
export function ZoneChip() {
  const t = useT();
  const { zone } = usePreferences();
  const options = useMemo(() => {
    const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
    return zones.map((value) => ({ value, label: value }));
  }, []);
  return (
    <Select
      showSearch
      allowClear={zone !== null}
      variant="borderless"
      popupMatchSelectWidth={240}
      aria-label={t('shell.zone')}
      value={zone ?? browserZone()}
      options={options}
      onChange={(value) => setPreferences({ zone: value ?? null })}
    />
  );
}
