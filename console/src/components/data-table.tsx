import { Skeleton } from 'antd';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import { type RowKeys, useRowKeys } from './row-keys';
import { RowMenu } from './row-menu';
import { ariaSort, nextSort, type Sorting } from './sorting';
import { type Column, DataRow } from './table-row';
import { ColumnChooser, hiddenAtFirst } from './table-tools';
import { TickBox } from './tick-box';
import './data-table.css';

export type { Column };

export interface Selection {
  ids: ReadonlySet<string>;
  change: (ids: ReadonlySet<string>) => void;
  /** Says which row a checkbox belongs to. */
  nameOf?: (id: string) => string;
}
export interface DataTableProps<Row> {
  /** Names the list in the person's preferences, and lets its columns be chosen. */
  name?: string;
  /** Read out by screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined: not known yet. Null: not known, and why is told beside it. */
  rows: readonly Row[] | undefined | null;
  rowId: (row: Row) => string;
  /** The coloured edge of a row that needs to be seen. */
  edge?: (row: Row) => 'failed' | 'late' | undefined;
  selection?: Selection;
  /** Fetching again while rows are shown. */
  busy?: boolean;
  /** Null: says nothing, because what went wrong is told beside it. */
  empty: ReactNode;
  keys?: RowKeys<Row>;
  /** Beside the choice of columns, and on the other side of that line. */
  tools?: ReactNode;
  lead?: ReactNode;
  /** The order of the rows; the heads of columns they can be ordered by change it. */
  sorting?: Sorting;
}

/** A semantic table for lists that change while they are looked at: rows keep their places, only their cells are patched. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, label, columns, rows, rowId, edge, selection, busy = false, empty, keys, tools, lead, sorting } = props;
  const t = useT();
  const { density, hiddenColumns } = usePreferences();
  const table = useRef<HTMLElement>(null);
  const chosen = name === undefined ? undefined : hiddenColumns[name];
  const shown = useMemo(() => {
    const hidden = chosen ?? hiddenAtFirst(columns);
    return columns.filter(({ key }, i) => i === 0 || !hidden.includes(key));
  }, [columns, chosen]);
  const latest = useRef(selection);
  useEffect(() => {
    latest.current = selection;
  });
  const choose = useCallback((id: string, on: boolean) => {
    const next = new Set(latest.current?.ids);
    on ? next.add(id) : next.delete(id);
    latest.current?.change(next);
  }, []);
  const toggle = selection && ((id: string) => choose(id, !selection.ids.has(id)));
  const [menu, setMenu] = useState<{ id: string; opener: HTMLElement } | null>(null);
  const openMenu = useCallback((id: string, opener: HTMLElement) => setMenu({ id, opener }), []);
  const active = useRowKeys(table, { rows: rows ?? [], rowId, keys, toggle, openMenu });
  if (rows === null) return null;
  if (rows === undefined) return <Skeleton active paragraph={{ rows: 8 }} title={false} />;
  const menuRow = menu && rows.find((row) => rowId(row) === menu.id);
  const nameOf = (id: string) => selection?.nameOf?.(id) ?? id;
  const chooser = name && <ColumnChooser name={name} label={label} columns={columns} />;
  return (
    <>
      {(chooser || tools || lead) && (
        <div className="table-tools">
          <div className="row table-lead">{lead}</div>
          {tools}
          {chooser}
        </div>
      )}
      {rows.length === 0 ? (
        empty !== null && <div className="panel">{empty}</div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="table-scroll" aria-label={label} tabIndex={0} ref={table} data-keyed={keys && ''} data-list={name}>
          <div className="table-progress" data-on={busy} />
          <table className="data-table" data-density={density}>
            <caption className="visually-hidden">{label}</caption>
            <thead>
              <tr>
                {selection && <SelectAll ids={rows.map(rowId)} selection={selection} />}
                {shown.map((column) => (
                  <Head key={column.key} column={column} sorting={sorting} />
                ))}
                {keys?.menu && (
                  <th scope="col" className="menu-cell">
                    <span className="visually-hidden">{t('menu.title')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const id = rowId(row);
                return (
                  <DataRow
                    key={id}
                    id={id}
                    row={row}
                    columns={shown}
                    edge={edge?.(row)}
                    active={id === active}
                    chosen={selection?.ids.has(id)}
                    name={nameOf(id)}
                    choose={choose}
                    openMenu={keys?.menu && openMenu}
                    menuOpen={menu?.id === id}
                  />
                );
              })}
            </tbody>
          </table>
        </section>
      )}
      {menu && menuRow && keys?.menu && (
        <RowMenu
          key={menu.id}
          name={t('menu.of', { name: nameOf(menu.id) })}
          opener={menu.opener}
          deeds={keys.menu(menuRow)}
          close={() => setMenu(null)}
        />
      )}
    </>
  );
}

function Head<Row>({ column: { key, title, numeric, width, order }, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const look = { scope: 'col', className: numeric ? 'numeric' : undefined, style: width ? { width } : undefined } as const;
  if (!sorting || !(sorting.columns ? sorting.columns.includes(key) : order)) return <th {...look}>{title}</th>;
  const sort = ariaSort(key, sorting.by);
  return (
    <th {...look} aria-sort={sort}>
      <button type="button" className="sort" onClick={() => sorting.change(nextSort(key, sorting.by))}>
        {title}
        <span aria-hidden="true">{sort === 'none' ? '↕' : sort === 'ascending' ? '↑' : '↓'}</span>
      </button>
    </th>
  );
}

function SelectAll({ ids, selection }: { ids: string[]; selection: Selection }) {
  const t = useT();
  const chosen = ids.filter((id) => selection.ids.has(id)).length;
  return (
    <th scope="col" className="select-cell">
      <TickBox
        label={t('table.selectPage')}
        checked={chosen === ids.length}
        partly={chosen > 0 && chosen < ids.length}
        onChange={(on) => {
          const next = new Set(selection.ids);
          for (const id of ids) on ? next.add(id) : next.delete(id);
          selection.change(next);
        }}
      />
    </th>
  );
}
