import type { Overview } from '../../../../src/admin/contract/overview.js';
import { Instant } from '../../components/instant';
import { useCodeText } from '../../lib/i18n';
import { durationText } from '../../lib/times';

type Concern = Overview['attention'][number];

/** Why it is told, with the numbers it was told by, and what to do. */
export function Evidence({ kind, evidence }: Pick<Concern, 'kind' | 'evidence'>) {
  const code = useCodeText();
  const told = Object.entries(evidence).filter(([, value]) => value !== null);
  return (
    <span style={{ whiteSpace: 'normal' }}>
      {told.map(([name, value]) => (
        <span key={name}>
          <span className="secondary">{code('evidence', name)}</span> <Value name={name} value={value as string | number} /> ·{' '}
        </span>
      ))}
      {code('attentionToDo', kind)}
    </span>
  );
}

function Value({ name, value }: { name: string; value: string | number }) {
  if (typeof value === 'number') return name.endsWith('Ms') ? durationText(value) : value;
  return /^\d{4}-\d\d-\d\dT/.test(value) ? <Instant at={value} /> : <bdi>{value}</bdi>;
}
