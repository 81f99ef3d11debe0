import { useEffect, useRef, useState } from 'react';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { isWaiting } from '../../components/why-task';

/**
 * Rows that keep their places: what is shown is patched in place, what is new is only counted until the person asks for it. A new
 * view (another filter or page) shows everything at once, and so does a view that was empty.
 */
export function useHeldRows(items: readonly TaskSummary[] | undefined, view: string) {
  const [shown, setShown] = useState<readonly string[] | undefined>(undefined);
  const known = useRef(new Map<string, TaskSummary>());
  const seen = useRef(view);
  const held = useRef(shown);
  useEffect(() => {
    held.current = shown;
  });
  useEffect(() => {
    if (seen.current !== view) {
      seen.current = view;
      setShown(undefined);
      known.current.clear();
    }
  }, [view]);
  useEffect(() => {
    if (!items) return;
    // Only what is shown or can be asked for: a list stays open for days.
    const next = new Map(items.map((item) => [item.id, item]));
    for (const id of held.current ?? []) {
      const before = known.current.get(id);
      if (before && !next.has(id)) next.set(id, before);
    }
    known.current = next;
    setShown((before) => (before === undefined || before.length === 0 ? items.map(({ id }) => id) : before));
  }, [items]);
  if (!items) return { rows: undefined, fresh: 0, show: () => {} };
  const byId = new Map(items.map((item) => [item.id, item]));
  const ids = shown === undefined || shown.length === 0 || seen.current !== view ? items.map(({ id }) => id) : shown;
  const shownIds = new Set(ids);
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? left(known.current.get(id)) ?? []),
    fresh: items.filter(({ id }) => !shownIds.has(id)).length,
    show: () => setShown(items.map(({ id }) => id)),
  };
}

/** A row that the list no longer has: why the task waited was true then, and nobody asks for it any more. */
const left = (row: TaskSummary | undefined): TaskSummary | undefined =>
  row && isWaiting(row) && row.reason !== null ? { ...row, reason: null } : row;
