const LONGEST = 255;
const WRITTEN = /^([a-z_]+)(?:: (.*))?$/s;

/** What is kept of an item that was not acted on: a code that has words, and what was behind it. */
export const itemDetail = (code: string, detail: string): string => `${code}: ${detail}`.slice(0, LONGEST);

/** Items of releases before this one have a sentence alone. */
export function partsOfDetail(kept: string | null): { code: string | null; detail: string | null } {
  const [, code = null, detail = null] = WRITTEN.exec(kept ?? '') ?? [];
  return code === null ? { code, detail: kept } : { code, detail };
}
