import { many, one, oneOf, type RawSearch } from '../../lib/search';

/** What the server finds in jobs and their tasks: the latest one failed, a fire is overdue, there is no task. */
export const JOB_VIEWS = ['failing', 'late', 'never_ran'] as const;

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
}
export const jobSearch = (raw: RawSearch): JobSearch => ({
  view: oneOf(raw, 'view', JOB_VIEWS),
  q: one(raw, 'q'),
  group: many(raw, 'group'),
  state: oneOf(raw, 'state', ['active', 'paused', 'disabled'] as const),
  kind: one(raw, 'kind'),
  handler: one(raw, 'handler'),
  owner: one(raw, 'owner'),
  tag: one(raw, 'tag'),
  app: one(raw, 'app'),
  firesBefore: one(raw, 'firesBefore'),
  after: one(raw, 'after'),
});
