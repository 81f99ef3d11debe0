const BLANK = /[ \t\n\r]/;

/** Both from 1; the column in UTF-16 units, as an editor's cursor counts. */
export interface JsonPlace {
  line: number;
  column: number;
}

/** Nobody looks for what a longer pointer names; all of them would take more room than the text, as many times as it has values. */
const LONGEST_POINTER = 1_024;

/** Where each value of a JSON text begins, by its JSON pointer, but for those of the longest pointers. The text must be JSON. */
export function placesOfJson(text: string): Map<string, JsonPlace> {
  const places = new Map<string, JsonPlace>();
  for (const { pointer, place } of valuesOfJson(text)) if (pointer.length <= LONGEST_POINTER) places.set(pointer, place);
  return places;
}

/** The pointer of the last value that begins in the text; undefined of a text without one. */
export function lastPointerOf(text: string): string | undefined {
  let last: string | undefined;
  for (const { pointer } of valuesOfJson(text)) last = pointer;
  return last;
}

/** Each value of a text that is JSON as far as it goes, in its order. Not recursive. */
function* valuesOfJson(text: string): Generator<{ pointer: string; place: JsonPlace }> {
  const open: { pointer: string; index: number | null; name: string }[] = [];
  let line = 1;
  let lineStart = 0;
  let expectsName = false;
  const pointer = (): string => {
    const inside = open.at(-1);
    if (!inside) return '';
    return `${inside.pointer}/${inside.index ?? inside.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') {
      line += 1;
      lineStart = at + 1;
    }
    if (BLANK.test(char) || char === ':') continue;
    if (char === ',') {
      const inside = open.at(-1);
      if (inside?.index != null) inside.index += 1;
      expectsName = inside?.index == null;
    } else if (char === '}' || char === ']') {
      open.pop();
      expectsName = false;
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (expectsName) (open.at(-1) as { name: string }).name = JSON.parse(text.slice(at, end + 1)) as string;
      else yield { pointer: pointer(), place: { line, column: at - lineStart + 1 } };
      expectsName = false;
      at = end;
    } else {
      yield { pointer: pointer(), place: { line, column: at - lineStart + 1 } };
      if (char === '{' || char === '[') {
        open.push({ pointer: pointer(), index: char === '[' ? 0 : null, name: '' });
        expectsName = char === '{';
      } else while (at + 1 < text.length && !/[,\]}\s]/.test(text[at + 1] as string)) at += 1;
    }
  }
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** Of the character at the offset. */
export function placeAt(text: string, offset: number): JsonPlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Of the nearest value around the pointer that is there. */
export function placeOf(places: ReadonlyMap<string, JsonPlace>, pointer: string): JsonPlace | null {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at);
    if (place !== undefined) return place;
    if (!at.includes('/')) return null;
  }
}
