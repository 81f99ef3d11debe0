import { Checkbox } from 'antd';
import { memo, type ReactNode } from 'react';
import { useT } from '../lib/i18n';

export interface Column<Row> {
  key: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  width?: number;
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
}

function TableRow<Row>({ id, row, columns, edge, active, chosen, name, choose }: TableRowProps<Row>) {
  const t = useT();
  return (
    <tr data-row={id} data-edge={edge} data-active={active || undefined} tabIndex={-1}>
      {chosen !== undefined && (
        <td className="select-cell">
          <Checkbox
            aria-label={t('table.selectRow', { name })}
            checked={chosen}
            onChange={({ target }) => choose(id, target.checked)}
          />
        </td>
      )}
      {columns.map(({ key, cell, numeric }) => (
        <td key={key} className={numeric ? 'numeric' : undefined}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Drawn again only when its own row changed: a list is patched every second while it is looked at. */
export const DataRow = memo(TableRow) as typeof TableRow;
