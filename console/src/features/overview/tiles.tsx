import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Overview, Tile } from '../../../../src/admin/contract/overview.js';
import { listAddress } from '../../components/list-address';
import { type StateFamily, StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import './overview.css';

/** Each tile opens the list that counts the same. What is zero is quiet. */
export function Tiles({ tiles }: { tiles: Overview['tiles'] }) {
  const t = useT();
  const age = (dueAt: string | null) =>
    dueAt ? t('overview.oldest', { age: durationText(Math.max(0, Date.now() - Date.parse(dueAt)), t) }) : '';
  return (
    <ul className="tiles">
      <TileLink tile={tiles.late} family="late" label={t('overview.late')} note={age(tiles.late.oldestDueAt)} />
      <TileLink
        tile={tiles.failedLastHour}
        family="failed"
        label={t('overview.failed')}
        note={t('overview.yesterday', { n: tiles.failedLastHour.hourYesterday })}
      />
      <TileLink
        tile={tiles.running}
        family="running"
        label={t('overview.running')}
        note={t('overview.capacity', { n: tiles.running.capacity })}
      />
      <TileLink to="/jobs" tile={tiles.dueSoon} family="waiting" label={t('overview.dueSoon')} note="" />
      <TileLink tile={tiles.waiting} family="waiting" label={t('overview.waiting')} note={age(tiles.waiting.oldestDueAt)} />
      {tiles.callbacksFailing && (
        <TileLink
          to="/callbacks"
          tile={tiles.callbacksFailing}
          family="failed"
          label={t('overview.callbacksFailing')}
          note={t('overview.retried')}
        />
      )}
    </ul>
  );
}

function TileLink({
  to = '/tasks',
  tile,
  family,
  label,
  note,
}: {
  to?: '/tasks' | '/jobs' | '/callbacks';
  tile: Tile;
  family: StateFamily;
  label: string;
  note: ReactNode;
}) {
  return (
    <li>
      <Link {...listAddress(to, tile)} className="tile" data-quiet={tile.count === 0}>
        <span className="row">
          <StateIcon family={family} /> {label}
        </span>
        <strong className={tile.count === 0 ? 'secondary' : `state-${family}`}>
          {tile.count}
          {tile.capped ? '+' : ''}
        </strong>
        <span className="secondary">{note || '\u00a0'}</span>
      </Link>
    </li>
  );
}
