import type { JobStateName } from '@evenkeel/sdk/contract';
import { StateIcon } from '../../components/state-tag';
import { marksShown } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';

const FAMILY = { active: 'succeeded', paused: 'skipped', disabled: 'failed' } as const;

export function JobState({ state, reason }: { state: JobStateName; reason?: string | null }) {
  const t = useT();
  return (
    <span className={`state-tag state-${FAMILY[state]}`} title={reason ? marksShown(reason) : undefined}>
      <StateIcon family={FAMILY[state]} halted={state === 'paused'} />
      {t(`jobState.${state}`)}
    </span>
  );
}
