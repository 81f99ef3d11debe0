/** What a URL's query becomes in the router: strings, lists, numbers. Each page states its own with these. */
export type RawSearch = Record<string, unknown>;

export const one = (raw: RawSearch, name: string): string | undefined => {
  const value = Array.isArray(raw[name]) ? raw[name][0] : raw[name];
  return value === undefined || value === null || value === '' ? undefined : String(value);
};
export const many = (raw: RawSearch, name: string): string[] | undefined => {
  const values = (Array.isArray(raw[name]) ? raw[name] : [raw[name]])
    .filter((value) => value !== undefined && value !== '')
    .map(String);
  return values.length === 0 ? undefined : values;
};
export const oneOf = <T extends string>(raw: RawSearch, name: string, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === one(raw, name));

/** Repeated names for lists, plain text otherwise: `state=FAILED&state=TIMED_OUT&group=pay`, as people write and share it. */
export function parseSearch(text: string): RawSearch {
  const raw: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = raw[name];
    raw[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return raw;
}
export function stringifySearch(search: RawSearch): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '' || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) pairs.append(name, String(each));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}
