import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Segmented } from 'antd';
import { useState } from 'react';
import type { LiveFloor, LiveFloorSetting } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { SITE_KEY } from '../../api/site';
import { ActionButton } from '../../components/action-button';
import { Changeable } from '../../components/changeable';
import { Loaded } from '../../components/loaded';
import { useT } from '../../lib/i18n';
import { LIVE_SECONDS } from '../../lib/preferences';
import { durationText } from '../../lib/times';

const KEY = ['settings', 'live-floor'];
const FLOORS = LIVE_SECONDS.filter((value): value is LiveFloor => value !== 0);

/** How often, at most, anybody's pages update what they show. */
export function LiveFloorPanel() {
  const t = useT();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<LiveFloor | null>(null);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<LiveFloorSetting>('settings/live-floor', undefined, signal),
  });
  return (
    <section className="panel stack" aria-label={t('liveFloor.title')}>
      <h2>{t('liveFloor.title')}</h2>
      <span className="secondary">{t('liveFloor.note')}</span>
      <Loaded query={query}>
        {({ seconds, revision }) => (
          <div className="row">
            <Changeable permission="system.manage">
              <Segmented
                aria-label={t('liveFloor.title')}
                value={chosen ?? seconds}
                options={FLOORS.map((value) => ({ value, label: durationText(value * 1_000, t) }))}
                onChange={setChosen}
              />
            </Changeable>
            <ActionButton
              label={t('liveFloor.change')}
              permission="system.manage"
              group={null}
              blocked={chosen === null || chosen === seconds ? t('settings.routingSame') : null}
              confirm="dialog"
              run={(reason) => api.put('settings/live-floor', { revision, seconds: chosen, reason })}
              done={t('groups.saved')}
              onDone={() => {
                setChosen(null);
                void client.invalidateQueries({ queryKey: KEY });
                void client.invalidateQueries({ queryKey: SITE_KEY });
              }}
            />
          </div>
        )}
      </Loaded>
    </section>
  );
}
