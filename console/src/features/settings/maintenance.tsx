import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useState } from 'react';
import type { MaintenanceView } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ActionButton } from '../../components/action-button';
import { HoldTime, untilIn } from '../../components/hold-time';
import { Instant } from '../../components/instant';
import { Loaded } from '../../components/loaded';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';

const KEY = ['settings', 'maintenance'];

/** The hold on the dispatch of everything: begun and ended here, told on every page. */
export function Maintenance() {
  const t = useT();
  const client = useQueryClient();
  const [minutes, setMinutes] = useState(0);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<MaintenanceView>('settings/maintenance', undefined, signal),
    refetchInterval: useLookAgain(),
  });
  const onDone = () => {
    setMinutes(0);
    void client.invalidateQueries({ queryKey: KEY });
    void client.invalidateQueries({ queryKey: ['notices'] });
  };
  const common = { permission: 'system.manage', group: null, confirm: 'dialog', onDone } as const;
  return (
    <section className="panel stack" aria-label={t('maintenance.title')}>
      <h2>{t('maintenance.title')}</h2>
      <span className="secondary">{t('maintenance.note')}</span>
      <Loaded query={query}>
        {({ hold }) =>
          hold ? (
            <>
              <Alert
                type="warning"
                showIcon
                title={<WrittenText text={hold.reason} />}
                description={
                  <span>
                    {t('maintenance.since')} <Instant at={hold.at} /> · <bdi>{hold.by}</bdi> ·{' '}
                    {hold.until ? (
                      <>
                        {t('groups.until')} <Instant at={hold.until} />
                      </>
                    ) : (
                      t('groups.holdOpen')
                    )}
                  </span>
                }
              />
              <div className="row">
                <ActionButton
                  {...common}
                  label={t('maintenance.release')}
                  run={(reason) => api.post('settings/maintenance/release', { reason })}
                  done={t('groups.released')}
                />
              </div>
            </>
          ) : (
            <div className="row">
              <ActionButton
                {...common}
                label={t('maintenance.hold')}
                danger
                reasonRequired
                preview={
                  <div className="stack" style={{ gap: 4 }}>
                    <span>{t('maintenance.preview')}</span>
                    <HoldTime minutes={minutes} onChange={setMinutes} />
                  </div>
                }
                run={(reason) => api.post('settings/maintenance/hold', { reason, ...untilIn(minutes) })}
                done={t('maintenance.held')}
              />
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
