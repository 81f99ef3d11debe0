const KEPT = 5_000;

/** A reader of stored text that remembers what it read, by the text; the oldest goes first. What it returns is shared: nobody may change it. */
export function keptByText<T>(read: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(text, value);
    return value;
  };
}
