import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { Instant } from '../../components/instant';
import { StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';

const FAMILY = { active: 'succeeded', retiring: 'late', disabled: 'skipped', expired: 'cancelled' } as const;

export function KeyState({
  apiKey: { state, successor, expiresAt },
}: {
  apiKey: Pick<KeyView, 'state' | 'successor' | 'expiresAt'>;
}) {
  const t = useT();
  const shown = successor === null ? state : 'retiring';
  const family = FAMILY[shown];
  return (
    <span className="row" style={{ gap: 4 }}>
      <span className={`state-tag state-${family}`}>
        <StateIcon family={family} />
        {t(`keys.state.${shown}`)}
      </span>
      {shown === 'retiring' && <Instant at={expiresAt} />}
    </span>
  );
}
