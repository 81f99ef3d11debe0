/** Kinds of objects that have a page each, and where. */
const PAGES: Readonly<Record<string, string>> = {
  task: '/tasks',
  job: '/jobs',
  worker: '/workers',
  group: '/groups',
  key: '/keys',
  endpoint: '/callbacks/endpoints',
  delivery: '/callbacks/deliveries',
  bulk: '/bulk',
};
/** Kinds that are seen in a list only. */
const LISTS: Readonly<Record<string, string>> = { app: '/keys', user: '/users', setting: '/settings', partition: '/system' };

/** Where an object is looked at; null: nowhere. It may have been deleted since. */
export function objectPath(type: string, id: string | null): string | null {
  const page = PAGES[type];
  if (page !== undefined && id !== null) return `${page}/${encodeURIComponent(id)}`;
  return LISTS[type] ?? null;
}
