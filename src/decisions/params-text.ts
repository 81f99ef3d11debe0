/**
 * Keeps `params`, results and checkpoints as their sender wrote them where JavaScript's numbers could not: 64-bit ids, long decimals, exponents, minus zero.
 * Works on text that JSON.parse has already accepted, so it looks for ends only and never judges.
 */

/** A number that parsing and printing might change has 16 digits, an exponent, a last zero behind its point, or is -0. Text inside strings may match too: that only costs time. */
const FRAGILE_NUMBER = /-0|\d[eE][+\-\d]|[\d.]{16,}|\.\d*0(?!\d)/;
export const mayLoseNumbers = (text: string): boolean => FRAGILE_NUMBER.test(text);

/** The JSON text of the member `params` of the object `text`, without blanks between tokens; undefined if there is none. */
export function paramsTextOf(text: string): string | undefined {
  return compacted(text, memberSpan(text, skipBlanks(text, 0), 'params'));
}

/** The same of the member `payload`. */
export const payloadTextOf = (text: string): string | undefined =>
  compacted(text, memberSpan(text, skipBlanks(text, 0), 'payload'));

/** The same of the member `result`. */
export const resultTextOf = (text: string): string | undefined =>
  compacted(text, memberSpan(text, skipBlanks(text, 0), 'result'));

/** The same for each element of the array member `items`; an element that is not an object has none. */
export const itemParamsTexts = (text: string): (string | undefined)[] => memberTexts(text, 'items', 'params');

/** The text of `member` of each element of the array member `list` of the object `text`. */
export function memberTexts(text: string, list: string, member: string): (string | undefined)[] {
  const items = memberSpan(text, skipBlanks(text, 0), list);
  const found: (string | undefined)[] = [];
  if (!items || text[items.start] !== '[') return found;
  let at = skipBlanks(text, items.start + 1);
  while (at < items.end - 1) {
    found.push(text[at] === '{' ? compacted(text, memberSpan(text, at, member)) : undefined);
    at = skipBlanks(text, valueEnd(text, at));
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}

/** The JSON text behind a path of keys (of an array: the index), as it is written; undefined if nothing is there. */
export function textAt(text: string, path: readonly string[]): string | undefined {
  const start = skipBlanks(text, 0);
  let span: Span | undefined = { start, end: valueEnd(text, start) };
  for (const key of path) {
    const at: number = span.start;
    span = text[at] === '{' ? memberSpan(text, at, key) : text[at] === '[' ? elementSpan(text, at, key) : undefined;
    if (!span) return undefined;
  }
  return text.slice(span.start, span.end);
}

interface Span {
  start: number;
  end: number;
}

/** As JSON.parse does, the last of several members with one name counts. */
function memberSpan(text: string, objectAt: number, name: string): Span | undefined {
  let found: Span | undefined;
  let at = skipBlanks(text, objectAt + 1);
  while (at < text.length && text[at] !== '}') {
    const keyEnd = stringEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (key === name) found = { start, end };
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}

const INDEX = /^(0|[1-9]\d{0,8})$/;
function elementSpan(text: string, arrayAt: number, index: string): Span | undefined {
  if (!INDEX.test(index)) return undefined;
  let at = skipBlanks(text, arrayAt + 1);
  for (let left = Number(index); at < text.length && text[at] !== ']'; left--) {
    const end = valueEnd(text, at);
    if (left === 0) return { start: at, end };
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return undefined;
}

const TOKENS_AND_BLANKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[\t\n\r ]+/g;
function compacted(text: string, span: Span | undefined): string | undefined {
  if (!span) return undefined;
  return text.slice(span.start, span.end).replace(TOKENS_AND_BLANKS, (token) => (token[0] === '"' ? token : ''));
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Index after the closing quote of the string that starts at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Index after the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from);
  let at = from;
  if (text[from] !== '{' && text[from] !== '[') {
    while (at < text.length && !isBlank(text.charCodeAt(at)) && !',]}'.includes(text[at] as string)) at++;
    return at;
  }
  for (let depth = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = stringEnd(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return at;
}

const STRINGS_AND_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The numbers of a JSON text that no double holds, which one would be told from its neighbours by only here: 64-bit ids, long
 * decimals, huge exponents. Each as `<digits>e<exponent>` without zeros at the ends, so that its spelling does not matter; sorted.
 */
export function inexactNumbers(text: string): string[] {
  if (!mayLoseNumbers(text)) return [];
  const numbers = (text.match(STRINGS_AND_NUMBERS) ?? []).filter((token) => token[0] !== '"');
  return numbers
    .map((token) => [decimal(token), decimal(String(Number(token)))])
    .flatMap(([stated, held]) => (stated === held ? [] : [stated as string]))
    .sort();
}

/** One spelling of each decimal number; a text that is none stands for itself. */
function decimal(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
