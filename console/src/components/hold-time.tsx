import { Select } from 'antd';
import { useId } from 'react';
import { useT } from '../lib/i18n';

const MINUTES = [0, 10, 30, 60, 240, 1440];

/** For how long something is held; 0 is until somebody releases it. */
export function HoldTime({ minutes, onChange }: { minutes: number; onChange: (minutes: number) => void }) {
  const t = useT();
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{t('groups.holdFor')}</label>
      <Select
        id={id}
        value={minutes}
        options={MINUTES.map((value) => ({
          value,
          label: value === 0 ? t('groups.holdOpen') : t('groups.minutes', { n: value }),
        }))}
        onChange={onChange}
      />
    </>
  );
}

/** The member of the request that says so. */
export const untilIn = (minutes: number): { until?: string } =>
  minutes > 0 ? { until: new Date(Date.now() + minutes * 60_000).toISOString() } : {};
