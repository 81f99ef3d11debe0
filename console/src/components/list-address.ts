import type { Tile } from '../../../src/admin/contract/overview.js';
import { parseSearch } from '../lib/search';

/** The address of the list that counts the same as this says. */
export function listAddress(to: '/tasks' | '/jobs' | '/callbacks', { query }: Pick<Tile, 'query'>) {
  const search = parseSearch(query);
  // What waits or runs is counted whenever it was made; the list would show one day of it.
  return { to, search: (to === '/tasks' && search.from === undefined ? { since: 'all', ...search } : search) as never };
}
