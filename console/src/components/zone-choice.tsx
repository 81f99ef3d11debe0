import { Select } from 'antd';
import { useMemo } from 'react';
import { useT } from '../lib/i18n';
import { setPreferences, usePreferences } from '../lib/preferences';
import { browserZone } from '../lib/times';

/** The zone all instants are shown in; in the frame of every page without a border. */
export function ZoneChoice({ plain = false }: { plain?: boolean }) {
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
      variant={plain ? 'borderless' : 'outlined'}
      popupMatchSelectWidth={240}
      aria-label={t('shell.zone')}
      value={zone ?? browserZone()}
      options={options}
      onChange={(value) => setPreferences({ zone: value ?? null })}
    />
  );
}
