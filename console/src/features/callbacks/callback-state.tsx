import { memo } from 'react';
import type { ConsoleDelivery, ConsoleEndpoint, DeliveryState } from '../../../../src/admin/contract/callbacks.js';
import { type StateFamily, StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { shareText } from '../../lib/times';

const OF_DELIVERY: Record<DeliveryState, StateFamily> = { PENDING: 'waiting', SUCCEEDED: 'succeeded', EXHAUSTED: 'failed' };

function Tag({ family, text, halted }: { family: StateFamily; text: string; halted?: boolean }) {
  return (
    <span className={`state-tag state-${family}`}>
      <StateIcon family={family} halted={halted} />
      <span>{text}</span>
    </span>
  );
}

export const DeliveryTag = memo(function DeliveryTag({ state }: { state: DeliveryState }) {
  return <Tag family={OF_DELIVERY[state]} text={useCodeText()('delivery', state)} />;
});

const ofEndpoint = ({ state, stateReason }: ConsoleEndpoint): StateFamily => {
  if (state === 'ENABLED') return 'succeeded';
  if (state === 'PENDING') return 'waiting';
  return stateReason === 'asked' ? 'skipped' : 'failed';
};

export function EndpointTag({ endpoint }: { endpoint: ConsoleEndpoint }) {
  const code = useCodeText();
  const { state, stateReason } = endpoint;
  const family = ofEndpoint(endpoint);
  const text = code('endpoint', stateReason ? `${state}.${stateReason}` : state);
  return <Tag family={family} text={text} halted={family === 'skipped'} />;
}

/** What one attempt came to: the answer's status, or why there was none. */
export const Outcome = memo(function Outcome({
  status,
  failure,
}: {
  status: number | null;
  failure: ConsoleDelivery['lastFailure'];
}) {
  const code = useCodeText();
  if (failure === 'blocked') return <Tag family="late" text={code('callFailure', failure)} />;
  if (failure !== null) return <Tag family="failed" text={code('callFailure', failure)} />;
  if (status === null) return <span className="secondary">–</span>;
  return <Tag family={status >= 200 && status < 300 ? 'succeeded' : 'failed'} text={`HTTP ${status}`} />;
});

/** The part of attempts in the last day that were answered well. */
export function DayShare({ lastDay }: Pick<ConsoleEndpoint, 'lastDay'>) {
  const t = useT();
  if (lastDay === null || lastDay.attempts === 0) return <span className="secondary">–</span>;
  const { attempts, succeeded } = lastDay;
  const share = succeeded / attempts;
  return (
    <span>
      <span className={share < 0.5 ? 'state-failed' : share < 0.95 ? 'state-late' : undefined}>{shareText(share)}</span>{' '}
      <span className="secondary">{t('callbacks.ofAttempts', { n: attempts })}</span>
    </span>
  );
}
