import type { Query } from '../../api/client';
import { sortsOf } from '../../components/sorting';
import { many, one, oneOf, type RawSearch, type SearchRules } from '../../lib/search';
import { DEFAULT_WINDOW, WINDOWS, type Window, windowStart } from '../../lib/since';

export const DELIVERY_STATES = ['PENDING', 'SUCCEEDED', 'EXHAUSTED'] as const;

/** The list of deliveries as its URL says; what is a default is left out of the URL. */
export interface DeliverySearch {
  state?: (typeof DELIVERY_STATES)[number][];
  app?: string;
  endpoint?: string;
  task?: string;
  /** Only what failed and will be tried again. */
  failing?: 'true';
  since?: Window;
  after?: string;
  /** Newest first if absent. */
  sort?: (typeof SORTS)[number];
}
export const SORTED_COLUMNS = ['created'] as const;
const SORTS = sortsOf(SORTED_COLUMNS);
export const PAGE_SIZE = 50;

/** What the address of the list may say; `view` is the tab it stands in. */
export const DELIVERY_RULES: SearchRules = {
  names: ['state', 'app', 'endpoint', 'task', 'failing', 'since', 'after', 'sort', 'peek', 'view', 'tab'],
  repeated: ['state'],
  values: { state: DELIVERY_STATES, failing: ['true'], since: WINDOWS },
};

export function deliverySearch(raw: RawSearch): DeliverySearch {
  const states = many(raw, 'state')?.flatMap((text) => DELIVERY_STATES.filter((state) => state === text.toUpperCase()));
  const since = oneOf(raw, 'since', WINDOWS);
  const task = one(raw, 'task');
  const failing = oneOf(raw, 'failing', ['true'] as const);
  return {
    state: states?.length ? states : undefined,
    app: one(raw, 'app'),
    endpoint: one(raw, 'endpoint'),
    task,
    failing,
    since: since === usualWindow({ task, failing }) ? undefined : since,
    after: one(raw, 'after'),
    sort: oneOf(raw, 'sort', SORTS),
  };
}

/** A task's deliveries are looked for however old they are, and so is what fails: it is tried for days. */
const usualWindow = ({ task, failing }: Pick<DeliverySearch, 'task' | 'failing'>): Window =>
  task === undefined && failing === undefined ? DEFAULT_WINDOW : 'all';
export const windowOf = (search: DeliverySearch): Window => search.since ?? usualWindow(search);

/** Asks for twice the page, so that it stays full while new ones come. */
export const deliveryQuery = ({ since, after, ...filters }: DeliverySearch): Query => ({
  ...filters,
  since: windowStart(windowOf({ since, ...filters })),
  cursor: after,
  limit: 2 * PAGE_SIZE,
});
