import { firstIdAt } from '../../lib/ids.js';
import { DEFAULT_WINDOW, WINDOWS, type Window, windowStart } from '../../lib/since.js';

/** What a jump looks at of the list's search, and changes. */
interface Span {
  sort?: string;
  since?: Window;
  from?: string;
  to?: string;
}

/** Only an order by creation has a place for an instant. */
export const canJump = ({ sort }: Span): boolean => sort === undefined || sort === 'id' || sort === '-id';

/**
 * The page that begins with what was made at the instant, or next to it in the order of the list. The window grows until it holds the
 * instant; a stated beginning or end that leaves it out is given up.
 */
export function jumpTo(search: Span, at: number): Omit<Span, 'sort'> & { after: string } {
  const from = search.from !== undefined && at < Date.parse(search.from) ? undefined : search.from;
  const to = search.to !== undefined && at >= Date.parse(search.to) ? undefined : search.to;
  const after = firstIdAt('task', search.sort === 'id' ? at : at + 1);
  if (from !== undefined || to !== undefined) return { after, from, to };
  const holds = WINDOWS.slice(WINDOWS.indexOf(search.since ?? DEFAULT_WINDOW)).find((window) => {
    const start = windowStart(window);
    return start === undefined || Date.parse(start) <= at;
  });
  return { after, from, to, since: holds === DEFAULT_WINDOW ? undefined : holds };
}
