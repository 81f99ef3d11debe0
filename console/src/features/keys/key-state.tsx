import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';

const FAMILY = { active: 'succeeded', disabled: 'skipped', expired: 'cancelled' } as const;

export function KeyState({ apiKey }: { apiKey: Pick<KeyView, 'state'> }) {
  const t = useT();
  const family = FAMILY[apiKey.state];
  return (
    <span className={`state-tag state-${family}`}>
      <StateIcon family={family} />
      {t(`keys.state.${apiKey.state}`)}
    </span>
  );
}
