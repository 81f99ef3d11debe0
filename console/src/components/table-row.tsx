import { memo, type ReactNode, useCallback } from 'react';
import { useT } from '../lib/i18n';
import { TickBox } from './tick-box';

export interface Column<Row> {
  key: string;
  title: ReactNode;
  /** Made of components that are drawn again only when what they show has changed: then a patched row costs its changed cells. */
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  width?: number;
  /** Not shown until it is chosen: a list that has it must have a name. */
  optional?: true;
  /** What rows of a list that is here whole are ordered by; null: they have nothing of it. */
  order?: (row: Row) => number | string | null;
}

interface TableRowProps<Row> {
  id: string;
  row: Row;
  columns: readonly Column<Row>[];
  edge: 'failed' | 'late' | undefined;
  active: boolean;
  /** Undefined: rows are not chosen here. */
  chosen: boolean | undefined;
  /** What its checkbox is called after. */
  name: string;
  choose: (id: string, on: boolean) => void;
  /** Undefined: rows have no menu here. */
  openMenu: ((id: string, opener: HTMLElement) => void) | undefined;
  menuOpen: boolean;
}

function TableRow<Row>({ id, row, columns, edge, active, chosen, name, choose, openMenu, menuOpen }: TableRowProps<Row>) {
  return (
    <tr data-row={id} data-edge={edge} data-active={active || undefined} tabIndex={-1}>
      {chosen !== undefined && (
        <td className="select-cell">
          <RowTick id={id} name={name} chosen={chosen} choose={choose} />
        </td>
      )}
      {columns.map(({ key, cell, numeric }) => (
        <td key={key} className={numeric ? 'numeric' : undefined}>
          {cell(row)}
        </td>
      ))}
      {openMenu && (
        <td className="menu-cell">
          <MenuButton id={id} name={name} openMenu={openMenu} open={menuOpen} />
        </td>
      )}
    </tr>
  );
}

type Tick = Pick<TableRowProps<unknown>, 'id' | 'name' | 'choose'> & { chosen: boolean };
const RowTick = memo(function RowTick({ id, name, chosen, choose }: Tick) {
  const t = useT();
  const change = useCallback((on: boolean) => choose(id, on), [choose, id]);
  return <TickBox label={t('table.selectRow', { name })} checked={chosen} onChange={change} />;
});

/** The browser's own button, as the tick is. */
const MenuButton = memo(function MenuButton({
  id,
  name,
  openMenu,
  open,
}: {
  id: string;
  name: string;
  openMenu: (id: string, opener: HTMLElement) => void;
  open: boolean;
}) {
  const t = useT();
  return (
    <button
      type="button"
      className="menu-button"
      aria-haspopup="menu"
      aria-expanded={open}
      aria-label={t('menu.of', { name })}
      onClick={({ currentTarget }) => openMenu(id, currentTarget)}
    >
      ⋯
    </button>
  );
});

/** Drawn again only when its own row changed: a list is patched every second while it is looked at. */
export const DataRow = memo(TableRow) as typeof TableRow;
