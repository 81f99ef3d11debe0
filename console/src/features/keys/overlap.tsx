import { Alert } from 'antd';
import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { Bar } from '../../components/bar';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { LastUsed } from './key-usage';

/** Two keys of a partner while the old one still goes on: who of them is used, and ending it before its time. */
export function Overlap({ old, next, onDone }: { old: KeyView; next: KeyView; onDone: () => void }) {
  const t = useT();
  const requests = (key: KeyView) => key.lastDay?.requests ?? 0;
  const total = requests(old) + requests(next);
  const isStillUsed = old.lastUsedAt !== null && Date.parse(old.lastUsedAt) >= Date.parse(next.createdAt);
  return (
    <section className="panel stack" aria-label={t('keys.overlap')}>
      <div className="spread">
        <h2>{t('keys.overlap')}</h2>
        <ActionButton
          label={t('keys.endOverlap')}
          permission="keys.manage"
          group={null}
          object={old.accessKey}
          danger
          confirm="dialog"
          preview={
            <div className="stack">
              {isStillUsed && (
                <Alert
                  type="warning"
                  showIcon
                  title={t('keys.stillUsed')}
                  description={
                    <span className="row">
                      {t('keys.lastUsed')} <LastUsed apiKey={old} />
                    </span>
                  }
                />
              )}
              <span>{t('keys.endOverlapPreview')}</span>
            </div>
          }
          run={(reason) => api.post(`keys/${segment(old.accessKey)}/disable`, { reason })}
          done={t('keys.overlapEnded')}
          onDone={onDone}
        />
      </div>
      <span>
        {t('keys.oldUntil')} <Instant at={old.expiresAt} />
      </span>
      {([old, next] as const).map((key) => (
        <div key={key.accessKey} className="key-split">
          <span>
            {t(key === old ? 'keys.oldKey' : 'keys.newKey')} <code>{key.accessKey}</code>
          </span>
          <Bar value={requests(key)} max={total} label={t('keys.split', { n: requests(key), total })} tone="plain" />
          <LastUsed apiKey={key} />
        </div>
      ))}
      {isStillUsed ? (
        <span className="state-late">{t('keys.stillUsed')}</span>
      ) : (
        <span className="state-succeeded">{t('keys.unusedNow')}</span>
      )}
    </section>
  );
}
