import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Input, Switch } from 'antd';
import { useId, useState } from 'react';
import type { EnvironmentBadge as Badge, EnvironmentSetting } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { SITE_KEY } from '../../api/site';
import { ActionButton } from '../../components/action-button';
import { Changeable } from '../../components/changeable';
import { Loaded } from '../../components/loaded';
import { useT } from '../../lib/i18n';

const KEY = ['settings', 'environment'];
const FIRST: Badge = { name: '', colour: '#c41d3a', production: true };
/** Each can be told from the bar of both themes. */
const COLOURS = ['#c41d3a', '#b45309', '#0f766e', '#2563eb', '#7c3aed', '#6b7280'];

/** What the installation is called on every page. */
export function EnvironmentPanel() {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<EnvironmentSetting>('settings/environment', undefined, signal),
  });
  const refresh = () => {
    void client.invalidateQueries({ queryKey: KEY });
    void client.invalidateQueries({ queryKey: SITE_KEY });
  };
  return (
    <section className="panel stack" aria-label={t('environment.title')}>
      <h2>{t('environment.title')}</h2>
      <span className="secondary">{t('environment.note')}</span>
      <Loaded query={query}>{(setting) => <Fields key={setting.revision} setting={setting} onDone={refresh} />}</Loaded>
    </section>
  );
}

function Fields({ setting, onDone }: { setting: EnvironmentSetting; onDone: () => void }) {
  const t = useT();
  const { environment, revision } = setting;
  const [badge, setBadge] = useState<Badge>(environment ?? FIRST);
  const [nameId, ruleId] = [useId(), useId()];
  const change = (part: Partial<Badge>) => setBadge((before) => ({ ...before, ...part }));
  const same = JSON.stringify(badge) === JSON.stringify(environment);
  const common = { permission: 'system.manage', group: null, confirm: 'dialog', onDone } as const;
  const set = (value: Badge | null) => (reason: string | undefined) =>
    api.put('settings/environment', { revision, environment: value, reason });
  return (
    <>
      <Changeable permission="system.manage">
        <div className="choices">
          <label htmlFor={nameId}>{t('environment.name')}</label>
          <Input
            id={nameId}
            style={{ maxWidth: 240 }}
            maxLength={24}
            value={badge.name}
            placeholder="PROD"
            onChange={({ target }) => change({ name: target.value })}
          />
          <span>{t('environment.colour')}</span>
          <div className="row">
            {COLOURS.map((colour) => (
              <button
                key={colour}
                type="button"
                className="swatch"
                aria-label={`${t('environment.colour')} ${colour}`}
                aria-pressed={badge.colour === colour}
                style={{ background: colour }}
                onClick={() => change({ colour })}
              />
            ))}
            <input
              type="color"
              className="swatch"
              aria-describedby={ruleId}
              aria-label={t('environment.otherColour')}
              value={badge.colour}
              onChange={({ target }) => change({ colour: target.value })}
            />
            <code>{badge.colour}</code>
            <span id={ruleId} className="secondary">
              {t('environment.rule')}
            </span>
          </div>
          <span>{t('environment.production')}</span>
          <div className="row">
            <Switch
              aria-label={t('environment.production')}
              checked={badge.production}
              onChange={(production) => change({ production })}
            />
            <span className="secondary">{t('environment.productionNote')}</span>
          </div>
        </div>
      </Changeable>
      <div className="row">
        <ActionButton
          {...common}
          label={t('environment.save')}
          blocked={badge.name.trim() === '' ? t('environment.nameless') : same ? t('settings.routingSame') : null}
          run={set(badge)}
          done={t('groups.saved')}
        />
        {environment && <ActionButton {...common} label={t('environment.remove')} run={set(null)} done={t('groups.saved')} />}
      </div>
    </>
  );
}
