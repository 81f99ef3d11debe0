/** `?a=1&b=2` of what is defined, or nothing. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? '' : `?${text}`;
}

/** Throws TypeError for what can be no id. */
export function pathPart(id: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new TypeError(`not an id: ${id}`);
  return id;
}
