import { many, one, oneOf, type RawSearch } from '../../lib/search';

/** The graph as its URL says; what is a default is left out of the URL. */
export interface GraphSearch {
  group?: string[];
  /** Id of the job around which is drawn, so many steps far. */
  focus?: string;
  depth?: number;
  view?: 'graph' | 'list';
  /** Id of the job whose card is open. */
  job?: string;
  /** Id of the flow whose tasks are drawn instead of each job's latest. */
  flow?: string;
}
export const DEPTH = 3;
export const DEPTHS = [1, 2, 3, 5, 10, 20];

export function graphSearch(raw: RawSearch): GraphSearch {
  const depth = Number(one(raw, 'depth'));
  return {
    group: many(raw, 'group'),
    focus: one(raw, 'focus'),
    depth: Number.isInteger(depth) && depth >= 1 && depth <= 20 && depth !== DEPTH ? depth : undefined,
    view: oneOf(raw, 'view', ['graph', 'list'] as const),
    job: one(raw, 'job'),
    flow: one(raw, 'flow'),
  };
}
