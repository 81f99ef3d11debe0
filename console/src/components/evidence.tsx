import type { Overview } from '../../../src/admin/contract/overview.js';
import { daysLeftText } from '../lib/days-left';
import { useCodeText, useT } from '../lib/i18n';
import { durationText } from '../lib/times';
import { Instant } from './instant';
import { WrittenText } from './written-text';

/** The figures something is told by: each named, times in the shown zone, durations as people say them. */
export function Evidence({ evidence }: Pick<Overview['attention'][number], 'evidence'>) {
  const t = useT();
  const code = useCodeText();
  return Object.entries(evidence)
    .filter(([, value]) => value !== null)
    .map(([name, value], i) => (
      <span key={name}>
        {i > 0 && ' · '}
        {name === 'daysLeft' ? (
          daysLeftText(Number(value), t)
        ) : (
          <>
            <span className="secondary">{code('evidence', name)}</span> <Value name={name} value={value as string | number} />
          </>
        )}
      </span>
    ));
}

function Value({ name, value }: { name: string; value: string | number }) {
  const t = useT();
  if (typeof value === 'number') return name.endsWith('Ms') ? durationText(value, t) : value;
  return /^\d{4}-\d\d-\d\dT/.test(value) ? <Instant at={value} /> : <WrittenText text={value} />;
}
