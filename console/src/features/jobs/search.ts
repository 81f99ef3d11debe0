import { sortsOf } from '../../components/sorting';
import { many, one, oneOf, type RawSearch, type SearchRules } from '../../lib/search';

/** What the server finds in jobs and their tasks: the latest one failed, a fire is overdue, there is no task. */
export const JOB_VIEWS = ['failing', 'late', 'never_ran'] as const;

export const JOB_KINDS = ['cron', 'every', 'after', 'once', 'upstream', 'event', 'manual'] as const;
/** Told apart from what is looked for when written in front of a colon. */
const WORDS = ['owner', 'tag', 'handler', 'app'] as const;

const JOB_STATES = ['active', 'paused', 'disabled'] as const;
/** What the address of the list may say. */
export const JOB_RULES: SearchRules = {
  names: ['view', 'q', 'group', 'state', 'kind', 'handler', 'owner', 'tag', 'app', 'firesBefore', 'after', 'sort', 'peek'],
  repeated: ['group'],
  values: { view: JOB_VIEWS, state: JOB_STATES, kind: JOB_KINDS },
};

export interface JobSearch {
  view?: (typeof JOB_VIEWS)[number];
  q?: string;
  group?: string[];
  state?: 'active' | 'paused' | 'disabled';
  kind?: string;
  handler?: string;
  owner?: string;
  tag?: string;
  app?: string;
  firesBefore?: string;
  after?: string;
  /** Newest first if absent. */
  sort?: (typeof SORTS)[number];
}
/** What an index of the server has in order; see `JOB_ORDERS` there. */
export const SORTED_COLUMNS = ['key', 'group', 'next'] as const;
const SORTS = sortsOf(SORTED_COLUMNS);

/** What was typed: `owner:"night shift" tag:gpu settle` is two filters, and `settle` in key, id, owner or description. */
export function typedSearch(text: string): Partial<JobSearch> {
  const found: Partial<JobSearch> = { q: undefined };
  const rest: string[] = [];
  for (const [part, name, quoted, plain] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const word = WORDS.find((each) => each === name);
    const value = quoted ?? plain;
    if (word && value) found[word] = value;
    else rest.push(quoted !== undefined && name === undefined ? quoted : part);
  }
  if (rest.length > 0) found.q = rest.join(' ');
  return found;
}

export const jobSearch = (raw: RawSearch): JobSearch => ({
  view: oneOf(raw, 'view', JOB_VIEWS),
  q: one(raw, 'q'),
  group: many(raw, 'group'),
  state: oneOf(raw, 'state', JOB_STATES),
  kind: one(raw, 'kind'),
  handler: one(raw, 'handler'),
  owner: one(raw, 'owner'),
  tag: one(raw, 'tag'),
  app: one(raw, 'app'),
  firesBefore: one(raw, 'firesBefore'),
  after: one(raw, 'after'),
  sort: oneOf(raw, 'sort', SORTS),
});
