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

/** What a list of the console may be asked by: names that may be repeated, and the values of those that have a closed list. */
export interface SearchRules {
  names: readonly string[];
  repeated?: readonly string[];
  /** Of upper-case ones, lower case is understood too. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** Names that begin so are known too, and may be repeated. */
  prefix?: string;
}
/** A part of an address that the list does not understand. */
export interface Stray {
  name: string;
  value: string;
  /**
   * `value`: none of the `choices`; `repeated`: what may be given once; `name`: the list knows no such filter; `date`: no instant, the
   * present stands in.
   */
  fault: 'value' | 'repeated' | 'name' | 'date';
  choices: readonly string[];
}

/** What the address says beyond the rules. Where a filter is not understood nothing may be listed in its place: see `findsNothing`. */
export function straysIn(raw: RawSearch, { names, repeated = [], values = {}, prefix }: SearchRules): Stray[] {
  return Object.keys(raw).flatMap((name): Stray[] => {
    const stated = many(raw, name) ?? [];
    if (prefix !== undefined && name.startsWith(prefix)) return [];
    if (!names.includes(name)) return stated.map((value) => ({ name, value, fault: 'name', choices: [] }));
    const choices = values[name];
    const wrong = stated.filter((value) => choices && !choices.includes(value) && !choices.includes(value.toUpperCase()));
    if (wrong.length > 0 && choices) return wrong.map((value) => ({ name, value, fault: 'value', choices }));
    if (stated.length < 2 || repeated.includes(name)) return [];
    return stated.slice(1).map((value) => ({ name, value, fault: 'repeated', choices: [] }));
  });
}
/** A filter with a value that is none finds nothing, rather than everything; a name that no list knows is only kept and shown. */
export const findsNothing = (strays: readonly Stray[]): boolean =>
  strays.some(({ fault }) => fault === 'value' || fault === 'repeated');
/** The address without that part. */
export function withoutStray(raw: RawSearch, { name, value, fault }: Stray): RawSearch {
  const stated = many(raw, name) ?? [];
  const at = fault === 'repeated' ? stated.lastIndexOf(value) : stated.indexOf(value);
  const left = stated.filter((_, i) => i !== at);
  return { ...raw, [name]: left.length === 0 ? undefined : left };
}
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
