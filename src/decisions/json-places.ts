const BLANK = /[ \t\n\r]/;

/** Both from 1; the column in UTF-16 units, as an editor's cursor counts. */
export interface JsonPlace {
  line: number;
  column: number;
}

/** Where each value of a JSON text begins, by its JSON pointer. The text must be JSON. Not recursive. */
export function placesOfJson(text: string): Map<string, JsonPlace> {
  const places = new Map<string, JsonPlace>();
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
      else places.set(pointer(), { line, column: at - lineStart + 1 });
      expectsName = false;
      at = end;
    } else {
      places.set(pointer(), { line, column: at - lineStart + 1 });
      if (char === '{' || char === '[') {
        open.push({ pointer: pointer(), index: char === '[' ? 0 : null, name: '' });
        expectsName = char === '{';
      } else while (at + 1 < text.length && !/[,\]}\s]/.test(text[at + 1] as string)) at += 1;
    }
  }
  return places;
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
