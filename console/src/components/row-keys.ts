import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { isPressable, isShortcut } from '../lib/key-events';
import { usePreferences } from '../lib/preferences';
import type { RowDeed } from './row-menu';

/** What the keys do in a list; a letter that is absent does nothing. */
export interface RowKeys<Row> {
  open?: (row: Row) => void;
  /** Called with null to close. */
  peek?: (row: Row | null) => void;
  /** Id of the row that is glanced at: it follows `j` and `k`. */
  peeked?: string;
  /** What it did: a task's log, the tasks of a job. */
  trace?: (row: Row) => void;
  /** Once more: a task is retried, a job run. */
  again?: (row: Row) => void;
  /** An end to it: a task is cancelled, a job paused, a worker drained. */
  stop?: (row: Row) => void;
  /** The same, to be chosen from. */
  menu?: (row: Row) => RowDeed[];
}

interface Keyed<Row> {
  rows: readonly Row[];
  rowId: (row: Row) => string;
  keys: RowKeys<Row> | undefined;
  toggle: ((id: string) => void) | undefined;
  /** Opens the menu of a row below what has the focus. */
  openMenu: (id: string, opener: HTMLElement) => void;
}

const LETTERS = { l: 'trace', r: 'again', c: 'stop' } as const;

/** `j` `k` and the arrows walk through the rows, `x` chooses, Enter opens, Space glances, Shift and F10 show the menu. The row walked to has the focus. */
export function useRowKeys<Row>(table: RefObject<HTMLElement | null>, keyed: Keyed<Row>): string | undefined {
  const { shortcuts } = usePreferences();
  const [active, setActive] = useState<string>();
  const latest = useRef({ ...keyed, active });
  useLayoutEffect(() => {
    latest.current = { ...keyed, active };
  });
  // Before the rows are seen: a key pressed at once is not lost.
  const wanted = shortcuts && keyed.keys !== undefined;
  useLayoutEffect(() => {
    if (!wanted) return;
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event) || !table.current) return;
      const { rows, rowId, keys, toggle, active } = latest.current;
      // Several lists of a page: the keys are of the one that was walked through last, or of the first.
      const other = document.querySelector('[data-keyed] tr[data-active]');
      if (other ? !table.current.contains(other) : document.querySelector('[data-keyed]') !== table.current) return;
      const focused = document.activeElement?.closest('tr[data-row]')?.getAttribute('data-row') ?? active;
      const at = rows.findIndex((row) => rowId(row) === focused);
      const row = rows[at];
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
        if (next === undefined) return;
        event.preventDefault();
        setActive(rowId(next));
        const element = table.current.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(rowId(next))}"]`);
        element?.focus();
        element?.scrollIntoView({ block: 'nearest' });
        if (keys?.peeked !== undefined) keys.peek?.(next);
        return;
      }
      if (row === undefined) return;
      if (event.key === 'x') toggle?.(rowId(row));
      else if (event.key === 'Enter' && !isPressable(event)) keys?.open?.(row);
      else if (event.key === ' ' && !isPressable(event) && keys?.peek) {
        event.preventDefault();
        keys.peek(keys.peeked === rowId(row) ? null : row);
      } else if (event.key in LETTERS) keys?.[LETTERS[event.key as keyof typeof LETTERS]]?.(row);
      else return;
      setActive(rowId(row));
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [wanted, table]);
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return;
      const focused = document.activeElement;
      const id = focused?.closest('tr[data-row]')?.getAttribute('data-row');
      if (!latest.current.keys?.menu || !id || !table.current?.contains(focused)) return;
      event.preventDefault();
      latest.current.openMenu(id, focused as HTMLElement);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [table]);
  return wanted ? active : undefined;
}
