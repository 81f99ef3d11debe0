import { many, one, oneOf, type RawSearch } from '../../lib/search';

export interface JobSearch {
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
