import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { Bar } from '../../components/bar';
import { useCodeText, useT } from '../../lib/i18n';
import './overview.css';

/** Slots taken on each worker, fullest first, with the score the next task is given by. */
export function WorkerBars({ workers }: { workers: Overview['workers'] }) {
  const t = useT();
  const code = useCodeText();
  const sorted = [...workers].sort((a, b) => (b.load ?? -1) - (a.load ?? -1));
  return (
    <section className="panel" aria-label={t('overview.workerLoad')}>
      <h2>{t('overview.workerLoad')}</h2>
      {sorted.length === 0 && <span className="secondary">{t('overview.noWorkers')}</span>}
      <ul className="plain-list">
        {sorted.map(({ id, load, active, slots, state }) => (
          <li key={id} className="load-row">
            <Link to="/workers/$workerId" params={{ workerId: id }}>
              <bdi>{id}</bdi>
            </Link>
            <Bar
              value={active}
              max={slots}
              tone={state === 'online' ? undefined : 'hatched'}
              label={`${active}/${slots} · ${load === null ? code('workerState', state) : load.toFixed(1)}`}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function GroupBars({ groups }: { groups: Overview['groups'] }) {
  const t = useT();
  return (
    <section className="panel" aria-label={t('overview.groupQuota')}>
      <h2>{t('overview.groupQuota')}</h2>
      <ul className="plain-list">
        {groups.map(({ key, running, maxRunning, pending, held }) => (
          <li key={key} className="load-row">
            <Link to="/groups/$groupKey" params={{ groupKey: key }}>
              <bdi>{key}</bdi>
            </Link>
            <Bar
              value={running}
              max={maxRunning}
              tone={held ? 'hatched' : undefined}
              label={`${running.toLocaleString()}/${maxRunning.toLocaleString()} · ${t('overview.pending', { n: `${pending.count}${pending.capped ? '+' : ''}` })}${held ? ` · ${t('overview.held')}` : ''}`}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
