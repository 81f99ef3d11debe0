import { textAt } from './params-text.js';
import { isWholeText } from './whole-text.js';

/** What params must hold: behind the path one of the texts. */
export interface ParamFilter {
  path: readonly string[];
  texts: readonly string[];
}
/** One of them as it is stated: `param.<path>=<text>`. */
export interface StatedParam {
  path: string;
  text: string;
}
/** In front of the path, wherever a filter has a name. */
export const PARAM = 'param.';
export const PARAM_BOUNDS = { pathLength: 255, textLength: 255, most: 16 } as const;
export const PARAM_PATH_RULE = `must be keys with dots between them, a backslash before a dot or a backslash of a key, at most ${PARAM_BOUNDS.pathLength} characters`;

/**
 * The keys of a path: `order.id` are two, `order\.id` is one. A backslash takes its meaning from the character behind it; undefined for a path
 * that ends with one, is too long or holds what no stored text holds. Any key may be empty.
 */
export function keysOfPath(path: string): string[] | undefined {
  if (path.length > PARAM_BOUNDS.pathLength || !isStorable(path) || !/^(?:\\.|[^\\])*$/s.test(path)) return undefined;
  const keys: string[] = [];
  let key = '';
  for (const [, escaped, plain] of path.matchAll(/\\(.)|(.)/gs)) {
    if (plain !== '.') key += escaped ?? plain;
    else {
      keys.push(key);
      key = '';
    }
  }
  return [...keys, key];
}

export const isParamText = (text: string): boolean => text.length <= PARAM_BOUNDS.textLength && isStorable(text);
const isStorable = (text: string): boolean => !text.includes('\0') && isWholeText(text);

/** Texts of one path are alternatives, different paths must all hold. Throws for a path that `keysOfPath` does not read. */
export function paramFilters(stated: readonly StatedParam[]): ParamFilter[] {
  const byPath = new Map<string, { path: string[]; texts: string[] }>();
  for (const { path: written, text } of stated) {
    const path = keysOfPath(written);
    if (!path) throw new TypeError('not the path of a param');
    const key = JSON.stringify(path);
    const known = byPath.get(key);
    if (known) known.texts.push(text);
    else byPath.set(key, { path, texts: [text] });
  }
  return [...byPath.values()];
}

/**
 * Whether JSON text that is stored as params holds all of them. A text matches a string that equals it, and a number, `true`, `false` or
 * `null` that is written exactly so: `1.0` is not `1`, and no digit is lost. Objects and arrays match nothing.
 */
export const holdsParams = (params: string | null, filters: readonly ParamFilter[]): boolean =>
  params !== null && filters.every(({ path, texts }) => isOneOf(textAt(params, path), texts));

function isOneOf(found: string | undefined, texts: readonly string[]): boolean {
  if (found === undefined || found[0] === '{' || found[0] === '[') return false;
  return texts.includes(found[0] === '"' ? (JSON.parse(found) as string) : found);
}

/** What the stored text of params that hold it has in it, unless some of it is written with an escape. */
export function tracesOf({ path, texts }: ParamFilter): { keys: string[]; texts: readonly string[] } {
  // A number may be an index, which is written nowhere; an empty text is in everything.
  return { keys: path.filter((key) => key !== '' && !/^\d+$/.test(key)), texts: texts.includes('') ? [] : texts };
}
