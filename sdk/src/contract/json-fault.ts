const SPACE = /[ \t\n\r]*/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/** What would have made JSON of a text at the place where it stops being JSON; `name`: of a member, in quotes and with its colon. */
export type JsonExpected = 'value' | 'name' | 'comma_or_bracket' | 'comma_or_brace' | 'end' | 'less_depth';

/** The offset at which a text stops being JSON; null of JSON. */
export const jsonFault = (text: string): number | null => jsonFaultOf(text)?.offset ?? null;

/**
 * Where a text stops being JSON, and what was expected there; null of JSON. The engine's own message names the place only sometimes.
 * What is wrong inside a string or a member's name is told at its opening quote. `deepest`: how many lists and objects may stand in one
 * another. Not recursive.
 */
export function jsonFaultOf(text: string, deepest = Number.POSITIVE_INFINITY): { offset: number; expected: JsonExpected } | null {
  const open: ('[' | '{')[] = [];
  let at = 0;
  const take = (shape: RegExp): boolean => {
    shape.lastIndex = at;
    if (!shape.test(text)) return false;
    at = shape.lastIndex;
    return true;
  };
  const string = (): boolean => {
    const end = endOfString(text, at);
    if (end !== null) at = end;
    return end !== null;
  };
  for (let wanted: 'value' | 'first' | 'member' | 'next' = 'value'; ; ) {
    take(SPACE);
    const char = text[at];
    const inside = open.at(-1);
    const closes = inside !== undefined && char === (inside === '[' ? ']' : '}');
    if (wanted === 'next') {
      if (inside === undefined) return at === text.length ? null : { offset: at, expected: 'end' };
      if (closes) open.pop();
      else if (char === ',') wanted = inside === '[' ? 'value' : 'member';
      else return { offset: at, expected: inside === '[' ? 'comma_or_bracket' : 'comma_or_brace' };
      at += 1;
    } else if (wanted === 'first' && closes) {
      open.pop();
      at += 1;
      wanted = 'next';
    } else if (inside === '{' && wanted !== 'value') {
      const name = at;
      if (!string() || !take(SPACE) || text[at] !== ':') return { offset: name, expected: 'name' };
      at += 1;
      wanted = 'value';
    } else if (char === '[' || char === '{') {
      if (open.length >= deepest) return { offset: at, expected: 'less_depth' };
      open.push(char);
      at += 1;
      wanted = 'first';
    } else if (string() || take(PLAIN)) wanted = 'next';
    else return { offset: at, expected: 'value' };
  }
}

/** The offset behind the string that begins there; null if none does. */
function endOfString(text: string, from: number): number | null {
  if (text[from] !== '"') return null;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text.charCodeAt(at) < 0x20) return null;
    if (text[at] !== '\\') continue;
    ESCAPE.lastIndex = at + 1;
    if (!ESCAPE.test(text)) return null;
    at = ESCAPE.lastIndex - 1;
  }
  return null;
}
