const BLANK = /[ \t\n\r]/;

/** The line, from 1, on which each value of a JSON text begins, by its JSON pointer. The text must be JSON. Not recursive. */
export function linesOfJson(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const open: { pointer: string; index: number | null; name: string }[] = [];
  let line = 1;
  let expectsName = false;
  const pointer = (): string => {
    const inside = open.at(-1);
    if (!inside) return '';
    return `${inside.pointer}/${inside.index ?? inside.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') line += 1;
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
      else lines.set(pointer(), line);
      expectsName = false;
      at = end;
    } else {
      lines.set(pointer(), line);
      if (char === '{' || char === '[') {
        open.push({ pointer: pointer(), index: char === '[' ? 0 : null, name: '' });
        expectsName = char === '{';
      } else while (at + 1 < text.length && !/[,\]}\s]/.test(text[at + 1] as string)) at += 1;
    }
  }
  return lines;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** The line of the nearest value around the pointer that is there. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number | null {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
    if (!at.includes('/')) return null;
  }
}
