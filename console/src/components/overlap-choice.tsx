import { Select } from 'antd';
import { useId } from 'react';
import { useT } from '../lib/i18n';

/** Hours for which an old secret goes on beside its successor; none after a leak. */
const HOURS = [0, 1, 24, 168];
export const USUAL_OVERLAP_HOURS = 24;

export function useOverlapText(): (hours: number) => string {
  const t = useT();
  return (hours) => (hours === 0 ? t('secret.noOverlap') : t('secret.hours', { n: hours }));
}

export function OverlapChoice({ hours, onChange }: { hours: number; onChange: (hours: number) => void }) {
  const t = useT();
  const field = useId();
  const text = useOverlapText();
  return (
    <>
      <label htmlFor={field}>{t('secret.overlap')}</label>
      <Select id={field} value={hours} options={HOURS.map((value) => ({ value, label: text(value) }))} onChange={onChange} />
    </>
  );
}
