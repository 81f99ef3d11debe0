import { Button } from 'antd';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { ConcernLink, useConcernName } from '../../components/concern-link';
import { Evidence } from '../../components/evidence';
import { Instant } from '../../components/instant';
import { StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { SnoozeButton, wakeAll } from './snooze';

type Item = Overview['attention'][number];

/** What waits for a person, most urgent first, each with the page where it can be dealt with. */
export function Attention({ items }: { items: readonly Item[] }) {
  const t = useT();
  const code = useCodeText();
  const nameOf = useConcernName();
  const { snoozed } = usePreferences();
  const now = useNow(Object.keys(snoozed).length > 0);
  const shown = items.filter((item) => (snoozed[idOf(item)] ?? 0) <= now);
  const asleep = items.length - shown.length;
  return (
    <section className="panel" aria-label={t('overview.attention')}>
      <h2>{t('overview.attention')}</h2>
      {shown.length === 0 && asleep === 0 ? (
        <span className="row state-succeeded">
          <StateIcon family="succeeded" /> {t('overview.allWell')}
        </span>
      ) : (
        <ul className="plain-list">
          {shown.map((item) => (
            <li key={idOf(item)} className="row">
              <StateIcon family="late" />
              <span>{code('attention', item.kind)}</span>
              <ConcernLink object={item.object} list={item.list} />
              {item.since && (
                <span>
                  <span className="secondary">{t('overview.since')}</span> <Instant at={item.since} />
                </span>
              )}
              <span>
                <Evidence evidence={item.evidence} />
              </span>
              <SnoozeButton id={idOf(item)} what={`${code('attention', item.kind)} ${nameOf(item)}`} />
            </li>
          ))}
        </ul>
      )}
      {asleep > 0 && (
        <span className="row secondary">
          {t('snooze.asleep', { n: asleep })}
          <Button type="link" size="small" onClick={wakeAll}>
            {t('snooze.wake')}
          </Button>
        </span>
      )}
    </section>
  );
}

const idOf = ({ kind, object }: Item): string => `${kind} ${object.id}`;
