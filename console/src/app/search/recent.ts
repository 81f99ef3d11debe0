import type { SearchAnswer } from '../../../../src/admin/contract/overview.js';

/** What was opened from the search, newest first, of each user of this browser. */
export type Place = Pick<SearchAnswer['hits'][number], 'id' | 'name' | 'group'> & { type: string; to: string };

const MOST = 10;
const keyOf = (username: string) => `evenkeel.recent.${username}`;

export function recentPlaces(username: string): Place[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(username)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function rememberPlace(username: string, place: Place): void {
  const kept = [place, ...recentPlaces(username).filter(({ to }) => to !== place.to)].slice(0, MOST);
  try {
    localStorage.setItem(keyOf(username), JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing has no recent places.
  }
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Place).to === 'string' &&
  typeof (value as Place).name === 'string';
