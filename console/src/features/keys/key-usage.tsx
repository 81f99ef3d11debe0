import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { Instant } from '../../components/instant';
import { daysLeft, daysLeftText } from '../../lib/days-left';
import { useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';
import { shareText } from '../../lib/times';

/** When a key was used last, from where, and for what. */
export function LastUsed({ apiKey }: { apiKey: Pick<KeyView, 'lastUsedAt' | 'lastUsedAddress' | 'lastUsedEndpoint'> }) {
  const { lastUsedAt, lastUsedAddress, lastUsedEndpoint } = apiKey;
  return (
    <span className="row" style={{ gap: 4 }}>
      <Instant at={lastUsedAt} />
      {lastUsedAddress && <span className="mono">{lastUsedAddress}</span>}
      {lastUsedEndpoint && <code className="secondary key-line">{lastUsedEndpoint}</code>}
    </span>
  );
}

/** Requests of the last day, and the part of them that failed. */
export function RequestsOfDay({ lastDay }: Pick<KeyView, 'lastDay'>) {
  const t = useT();
  if (lastDay === null || lastDay.requests === 0) return <span className="secondary">–</span>;
  const { requests, failed } = lastDay;
  const share = failed / requests;
  return (
    <span className="key-line">
      {requests.toLocaleString()}
      {' · '}
      <span className={share >= 0.5 ? 'state-failed' : share >= 0.05 ? 'state-late' : 'secondary'}>
        {t('keys.failedShare', { share: shareText(share) })}
      </span>
    </span>
  );
}

const REMINDERS = [1, 3, 14];

/** When a key ends; from two weeks before also in how many days, the closer the louder. */
export function Expiry({ apiKey: { expiresAt, state } }: { apiKey: Pick<KeyView, 'expiresAt' | 'state'> }) {
  const t = useT();
  const now = useNow(expiresAt !== null);
  if (expiresAt === null) return <span className="secondary">{t('keys.never')}</span>;
  const until = Date.parse(expiresAt);
  const left = daysLeft(until, now);
  const reminder = state === 'active' && until > now ? REMINDERS.findIndex((days) => left < days) : -1;
  return (
    <span className="row" style={{ gap: 4 }}>
      <Instant at={expiresAt} />
      {reminder >= 0 && <span className={reminder === 2 ? 'state-late' : 'state-failed'}>{daysLeftText(left, t)}</span>}
    </span>
  );
}
