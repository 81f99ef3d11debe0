import { Alert } from 'antd';
import { memo } from 'react';
import type { ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';

type Planned = Pick<ConsoleDelivery, 'state' | 'nextAttemptAt' | 'hold'>;

/** When a delivery is tried next, or given up instead, and in a word why it is not as its schedule has it. */
export const NextTry = memo(function NextTry({ state, nextAttemptAt, hold }: Planned) {
  const t = useT();
  const code = useCodeText();
  const planned = state === 'PENDING' ? nextAttemptAt : null;
  const at = hold?.until ?? planned;
  const isDue = useNow(planned !== null) >= Date.parse(at ?? '');
  if (planned === null) return <Instant at={null} />;
  return (
    <span className="next-try">
      <Instant at={at} />
      {hold && (
        <span className="state-late" title={code('deliveryHoldWhy', hold.reason)}>
          {code('deliveryHold', hold.reason)}
        </span>
      )}
      {!hold && isDue && <span className="secondary">{t('callbacks.dueNow')}</span>}
    </span>
  );
});

/** Why the next try is not as the schedule has it, and what happens instead; nothing where it is. */
export function HoldNote({ hold }: Pick<Planned, 'hold'>) {
  const code = useCodeText();
  if (!hold) return null;
  const { reason, until } = hold;
  return (
    <Alert
      type="warning"
      showIcon
      title={
        <span className="row" style={{ gap: 4 }}>
          {code('deliveryHoldTitle', reason)}
          {until !== null && <Instant at={until} />}
        </span>
      }
      description={code('deliveryHoldWhy', reason)}
    />
  );
}
