import type { Overview } from '../../../../src/admin/contract/overview.js';
import { Evidence } from '../../components/evidence';
import { useCodeText } from '../../lib/i18n';

/** Why it is told, with the numbers it was told by, and what to do. */
export function WhyAndWhat({ kind, evidence }: Pick<Overview['attention'][number], 'kind' | 'evidence'>) {
  const code = useCodeText();
  const hasFigures = Object.values(evidence).some((value) => value !== null);
  return (
    <span style={{ whiteSpace: 'normal' }}>
      <Evidence evidence={evidence} />
      {hasFigures && ' · '}
      {code('attentionToDo', kind)}
    </span>
  );
}
