import { useRef } from 'react';

interface Look<Row> {
  view: string;
  /** The newest row shown when the view was opened, or asked for since. */
  anchor: string | null;
  rows: readonly Row[];
}

/**
 * A page of a list whose newest entries come first and whose ids grow: what came since the view was opened is counted, not shown, so no
 * row moves until the person asks. `items` may hold more than the page: the surplus keeps it full while new ones push from above.
 * `view` is null while what is there belongs to the view before.
 */
export function useSteadyPage<Row extends { id: string }>(items: readonly Row[] | undefined, view: string | null, size: number) {
  const look = useRef<Look<Row> | null>(null);
  if (items === undefined) return { rows: undefined, fresh: 0, show: () => {} };
  if (view === null) return { rows: look.current?.rows ?? items, fresh: 0, show: () => {} };
  const anew = look.current === null || look.current.view !== view || look.current.anchor === null;
  const anchor = anew ? (items[0]?.id ?? null) : (look.current as Look<Row>).anchor;
  const known = items.filter(({ id }) => anchor !== null && id <= anchor).slice(0, size);
  const rows = known.length > 0 || anew ? known : (look.current as Look<Row>).rows;
  look.current = { view, anchor, rows };
  return {
    rows,
    fresh: items.filter(({ id }) => anchor !== null && id > anchor).length,
    /** Takes hold with the next look. */
    show: () => {
      look.current = null;
    },
  };
}
