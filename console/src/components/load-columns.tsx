import { Link } from '@tanstack/react-router';
import type { WorkerLoad } from '../../../src/admin/contract/workers.js';
import { useT } from '../lib/i18n';
import { Bar } from './bar';
import type { Column } from './data-table';

/** Workers by name with their load as bars; the fullest fills its bar. */
export function useLoadColumns(): <R extends { id: string }>(rows: readonly R[], load: (row: R) => number) => Column<R>[] {
  const t = useT();
  return (rows, load) => {
    const most = Math.max(1, ...rows.map(load));
    return [
      {
        key: 'worker',
        title: t('workers.worker'),
        cell: ({ id }) => (
          <Link to="/workers/$workerId" params={{ workerId: id }}>
            <bdi>{id}</bdi>
          </Link>
        ),
      },
      {
        key: 'load',
        title: t('workers.load'),
        width: 200,
        cell: (row) => <Bar value={load(row)} max={most} tone="plain" label={load(row).toFixed(1)} />,
      },
    ];
  };
}

/** How far the workers of a group are from the same load, in figures. */
export function Imbalance({ of: { meanLoad, maxMinusMin, variation } }: { of: WorkerLoad['imbalance'] }) {
  const t = useT();
  const figures = { mean: meanLoad.toFixed(1), spread: maxMinusMin.toFixed(1), variation: variation.toFixed(2) };
  return <span className="secondary">{t('workers.imbalance', figures)}</span>;
}
