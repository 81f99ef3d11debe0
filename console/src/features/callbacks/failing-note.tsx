import { Alert } from 'antd';
import type { ConsoleEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';

/** Since when nothing succeeds, and what this centre does about it of its own accord. */
export function FailingNote({ endpoint: { failing, state } }: { endpoint: ConsoleEndpoint }) {
  const t = useT();
  const until = failing?.pausedUntil ?? null;
  const isOpen = useNow(until !== null) < Date.parse(until ?? '');
  if (failing === null) return <span className="secondary">{t('callbacks.autoDisable')}</span>;
  return (
    <Alert
      type="warning"
      showIcon
      title={
        <span className="row" style={{ gap: 4 }}>
          {t('callbacks.failingSince')} <Instant at={failing.since} /> {t('callbacks.failuresSince', { n: failing.failures })}
        </span>
      }
      description={
        <div className="stack" style={{ gap: 4 }}>
          {until !== null && isOpen && (
            <span>
              {t('callbacks.circuitOpen')} <Instant at={until} />
            </span>
          )}
          {until !== null && !isOpen && <span>{t('callbacks.circuitProbes')}</span>}
          {state === 'ENABLED' && (
            <span>
              {t('callbacks.disablesAt')} <Instant at={failing.disablesAt} />{' '}
              {t('callbacks.disablesIf', { n: failing.disablesAtFailures })}
            </span>
          )}
        </div>
      }
    />
  );
}
