import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { ROUTINGS } from '../../../../sdk/src/contract/partner-api';
import type { RoutingSetting } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { Changeable } from '../../components/changeable';
import { Loaded } from '../../components/loaded';
import { useCodeText, useT } from '../../lib/i18n';

const KEY = ['settings', 'routing'];

/** How workers are chosen where task, job and group say nothing. */
export function DefaultRouting() {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<RoutingSetting['routing'] | null>(null);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<RoutingSetting>('settings/routing', undefined, signal),
  });
  return (
    <section className="panel stack" aria-label={t('settings.routing')}>
      <h2>{t('settings.routing')}</h2>
      <span className="secondary">{t('settings.routingNote')}</span>
      <Loaded query={query}>
        {({ routing }) => (
          <div className="row">
            <Changeable permission="system.manage">
              <Select
                style={{ minWidth: 220 }}
                aria-label={t('settings.routing')}
                value={chosen ?? routing}
                options={ROUTINGS.map((value) => ({ value, label: code('routing', value) }))}
                onChange={setChosen}
              />
            </Changeable>
            <ActionButton
              label={t('settings.changeRouting')}
              permission="system.manage"
              group={null}
              blocked={chosen === null || chosen === routing ? t('settings.routingSame') : null}
              confirm="dialog"
              preview={t('settings.routingPreview', { from: code('routing', routing), to: code('routing', chosen ?? routing) })}
              run={(reason) => api.put('settings/routing', { routing: chosen, reason })}
              done={t('groups.saved')}
              onDone={() => {
                setChosen(null);
                void client.invalidateQueries({ queryKey: KEY });
              }}
            />
          </div>
        )}
      </Loaded>
    </section>
  );
}
