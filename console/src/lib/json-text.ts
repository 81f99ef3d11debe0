import { jsonFault } from '../../../sdk/src/contract/json-fault';
import type { Translate } from './i18n';

/** Where a text stops being JSON, in words, by line and column from one; null of JSON. The engine's own words are in English. */
export function notJson(text: string, t: Translate): string | null {
  const offset = jsonFault(text);
  if (offset === null) return null;
  const before = text.slice(0, offset).split('\n');
  const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  return t(offset === text.length ? 'fieldError.notJsonEnd' : 'fieldError.notJson', place);
}

/** Indents JSON text without reading its values, so every digit and escape stays as it was. Other text comes back as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let out = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (let i = 0; i < text.length; i++) {
    const mark = text[i] as string;
    if (mark === '"') {
      const end = stringEnd(text, i);
      out += text.slice(i, end);
      i = end - 1;
    } else if (mark === '{' || mark === '[') {
      const close = nextMark(text, i + 1);
      if (text[close] === (mark === '{' ? '}' : ']')) {
        out += mark + text[close];
        i = close;
      } else {
        depth += 1;
        out += mark + line();
      }
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
      out += line() + mark;
    } else if (mark === ',') out += mark + line();
    else if (mark === ':') out += ': ';
    else if (!/\s/.test(mark)) out += mark;
  }
  return out;
}

function stringEnd(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i + 1;
}

function nextMark(text: string, from: number): number {
  let i = from;
  while (/\s/.test(text[i] as string)) i += 1;
  return i;
}
