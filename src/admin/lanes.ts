import { said } from '../decisions/field-sentences.js';
import { AppError } from '../platform/errors.js';

/** A stretch of a lane: `next` says where the lane goes on, null that it is over. */
export interface LaneRows<Row> {
  rows: Row[];
  next: string | null;
}
/** One part of a list whose rows all come before those of the next part, in an order that an index serves. */
export interface Lane<Row> {
  name: string;
  /** At most so many rows after that place in it; throws nothing for a place that no row is at. */
  read: (past: string | undefined, limit: number) => Promise<LaneRows<Row>>;
}
export interface LanePage<Row> {
  rows: Row[];
  nextCursor: string | null;
  /** The place where the last lane was left although the page is not full. */
  searchedTo: string | null;
}

/** Lanes looked into for one page: more of them are empty than anybody waits for. */
const MOST_LANES = 64;

/**
 * A page of lanes one after the other. The cursor names a lane and a place in it, so a page costs what its rows cost, wherever it is.
 *
 * @throws AppError `validation_failed` for a cursor of another order
 */
export async function pageOfLanes<Row>(
  lanes: readonly Lane<Row>[],
  cursor: string | undefined,
  limit: number,
): Promise<LanePage<Row>> {
  const start = cursor === undefined ? { lane: 0, past: undefined } : placeIn(lanes, cursor);
  const rows: Row[] = [];
  for (let at = start.lane, looked = 0; at < lanes.length; at++, looked++) {
    const lane = lanes[at] as Lane<Row>;
    const cursorAt = (place: string) => `${encodeURIComponent(lane.name)}:${place}`;
    if (looked === MOST_LANES) return { rows, nextCursor: cursorAt(''), searchedTo: null };
    const room = limit - rows.length;
    const found = await lane.read(looked === 0 ? start.past : undefined, Math.max(1, room));
    // A full page goes on in the next lane that has anything.
    if (room === 0 && (found.rows.length > 0 || found.next !== null)) return { rows, nextCursor: cursorAt(''), searchedTo: null };
    rows.push(...found.rows);
    if (found.next !== null) {
      const cut = rows.length < limit ? found.next : null;
      return { rows, nextCursor: cursorAt(found.next), searchedTo: cut };
    }
  }
  return { rows, nextCursor: null, searchedTo: null };
}

function placeIn(lanes: readonly Lane<unknown>[], cursor: string): { lane: number; past: string | undefined } {
  const colon = cursor.indexOf(':');
  const lane = lanes.findIndex(({ name }) => encodeURIComponent(name) === cursor.slice(0, colon));
  if (colon < 0 || lane < 0) throw notOfThisOrder();
  return { lane, past: cursor.slice(colon + 1) || undefined };
}

export const notOfThisOrder = (): AppError =>
  AppError.fields([{ pointer: '/query/cursor', code: 'bad_format', ...said('cursor') }]);
