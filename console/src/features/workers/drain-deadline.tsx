import { Select } from 'antd';
import { useEffect, useId, useState } from 'react';
import { useT } from '../../lib/i18n';

const MINUTES = [0, 10, 30, 60, 240, 1440];

/** After how long what still runs is stopped; 0 is never. It begins with that, and tells so, each time it is shown. */
export function DrainDeadline({ onChange }: { onChange: (minutes: number) => void }) {
  const t = useT();
  const id = useId();
  const [minutes, setMinutes] = useState(0);
  useEffect(() => onChange(minutes), [minutes, onChange]);
  return (
    <div className="stack" style={{ gap: 4 }}>
      <label htmlFor={id}>{t('workers.drainStops')}</label>
      <Select
        id={id}
        value={minutes}
        options={MINUTES.map((value) => ({
          value,
          label: value === 0 ? t('workers.drainWaits') : t('workers.drainStopsAfter', { n: value }),
        }))}
        onChange={setMinutes}
      />
      {minutes > 0 && <span className="state-late">{t('workers.drainStopped')}</span>}
    </div>
  );
}
