import { Checkbox, Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import './data-table.css';

export interface Column<Row> {
  key: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  width?: number;
}
export interface Selection {
  ids: ReadonlySet<string>;
  change: (ids: ReadonlySet<string>) => void;
  /** Says which row a checkbox belongs to. */
  nameOf?: (id: string) => string;
}
export interface DataTableProps<Row> {
  /** Read out by screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** The coloured edge of a row that needs to be seen. */
  edge?: (row: Row) => 'failed' | 'late' | undefined;
  selection?: Selection;
  /** Fetching again while rows are shown. */
  busy?: boolean;
  empty: ReactNode;
}

/** A semantic table for lists that change while they are looked at: rows keep their places, only their cells are patched. */
export function DataTable<Row>({ label, columns, rows, rowId, edge, selection, busy = false, empty }: DataTableProps<Row>) {
  const { density } = usePreferences();
  if (rows === undefined) return <Skeleton active paragraph={{ rows: 8 }} title={false} />;
  if (rows.length === 0) return <div className="panel">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      <div className="table-progress" data-on={busy} />
      <table className="data-table" data-density={density}>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {selection && <SelectAll ids={rows.map(rowId)} selection={selection} />}
            {columns.map(({ key, title, numeric, width }) => (
              <th key={key} scope="col" className={numeric ? 'numeric' : undefined} style={width ? { width } : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = rowId(row);
            return (
              <tr key={id} data-row={id} data-edge={edge?.(row)}>
                {selection && <SelectOne id={id} selection={selection} />}
                {columns.map(({ key, cell, numeric }) => (
                  <td key={key} className={numeric ? 'numeric' : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function SelectAll({ ids, selection }: { ids: string[]; selection: Selection }) {
  const t = useT();
  const chosen = ids.filter((id) => selection.ids.has(id)).length;
  return (
    <th scope="col" className="select-cell">
      <Checkbox
        aria-label={t('table.selectPage')}
        checked={chosen === ids.length}
        indeterminate={chosen > 0 && chosen < ids.length}
        onChange={({ target }) => {
          const next = new Set(selection.ids);
          for (const id of ids) target.checked ? next.add(id) : next.delete(id);
          selection.change(next);
        }}
      />
    </th>
  );
}

function SelectOne({ id, selection }: { id: string; selection: Selection }) {
  const t = useT();
  return (
    <td className="select-cell">
      <Checkbox
        aria-label={t('table.selectRow', { name: selection.nameOf?.(id) ?? id })}
        checked={selection.ids.has(id)}
        onChange={({ target }) => {
          const next = new Set(selection.ids);
          target.checked ? next.add(id) : next.delete(id);
          selection.change(next);
        }}
      />
    </td>
  );
}
