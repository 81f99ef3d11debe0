import type { Column } from './table-row';

/** How a list is ordered: the key of a column, with `-` in front for largest first; undefined: as the list has it. */
export interface Sorting {
  by: string | undefined;
  change: (by: string | undefined) => void;
  /** Of a list that comes in pages: the columns the server can order it by. Else a column's own `order` says so. */
  columns?: readonly string[];
}

/** The two ways of each column, as the URL may say them. */
export const sortsOf = <Key extends string>(columns: readonly Key[]): (Key | `-${Key}`)[] =>
  columns.flatMap((key) => [key, `-${key}` as const]);

/** Rows in the order of a column; those without a value last, whichever way. Equal ones stay as they are. */
export function sortedBy<Row>(rows: readonly Row[], columns: readonly Column<Row>[], by: string | undefined): Row[] {
  const down = by?.startsWith('-') ?? false;
  const order = columns.find(({ key }) => key === by?.slice(down ? 1 : 0))?.order;
  if (!order) return [...rows];
  return [...rows].sort((a, b) => {
    const [one, other] = [order(a), order(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const ascending = typeof one === 'string' ? one.localeCompare(String(other)) : one - Number(other);
    return down ? -ascending : ascending;
  });
}

/** What a click on a column's head does: largest first, smallest first, as the list has it. */
export const nextSort = (key: string, by: string | undefined): string | undefined =>
  by === `-${key}` ? key : by === key ? undefined : `-${key}`;

export const ariaSort = (key: string, by: string | undefined): 'ascending' | 'descending' | 'none' =>
  by === key ? 'ascending' : by === `-${key}` ? 'descending' : 'none';
