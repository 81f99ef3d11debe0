/** RFC 3339 in UTC with milliseconds. */
export type Instant = string;

/** One page of a list, newest first unless the route says otherwise. `nextCursor` goes into `cursor` for the page after. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A count that is not counted any further: `capped` means "that many or more". */
export interface CappedCount {
  count: number;
  capped: boolean;
}
