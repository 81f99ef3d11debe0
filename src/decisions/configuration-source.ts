import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { ImportError } from './configuration-file.js';
import { pointerToken } from './field-rules.js';
import { jsonFault } from './json-fault.js';
import { type JsonPlace, placeAt, placesOfJson } from './json-places.js';

/** A file that was read, and where each of its values begins, by its JSON pointer; or why it cannot be read. */
export type ConfigurationSource = { file: unknown; places: ReadonlyMap<string, JsonPlace> } | { broken: ImportError };

const MOST_ALIASES = 100;

/** Reads a file as JSON if it begins like an object of it, else as YAML 1.2. Pure. */
export function readSource(text: string): ConfigurationSource {
  return /^\s*\{/.test(text) ? ofJson(text) : ofYaml(text);
}

/** Whether it would be read as YAML, which takes many times as long. */
export const isYaml = (text: string): boolean => !/^\s*\{/.test(text);

function ofJson(text: string): ConfigurationSource {
  try {
    return { file: JSON.parse(text), places: placesOfJson(text) };
  } catch (error) {
    const offset = jsonFault(text);
    return { broken: broken((error as Error).message, offset === null ? null : placeAt(text, offset)) };
  }
}

function ofYaml(text: string): ConfigurationSource {
  const lines = new LineCounter();
  const placeOf = (offset: number): JsonPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, schema: 'core', prettyErrors: false, stringKeys: true });
    const [error] = [...document.errors, ...document.warnings];
    if (error) return { broken: broken(error.message, placeOf(error.pos[0])) };
    const places = new Map<string, JsonPlace>();
    if (document.contents) collect(document.contents, '', places, placeOf);
    return { file: document.toJS({ maxAliasCount: MOST_ALIASES }), places };
  } catch (error) {
    // Nested deeper than the stack is, or more aliases than are followed.
    return { broken: broken((error as Error).message, null) };
  }
}

/** Not into aliases: what is wrong in what they stand for is told where they stand. */
function collect(node: Node, pointer: string, places: Map<string, JsonPlace>, placeOf: (offset: number) => JsonPlace): void {
  if (node.range) places.set(pointer, placeOf(node.range[0]));
  if (isAlias(node) || isScalar(node)) return;
  if (isSeq(node))
    node.items.forEach((item, index) => {
      if (item) collect(item as Node, `${pointer}/${index}`, places, placeOf);
    });
  if (isMap(node))
    for (const { key, value } of node.items as Pair<Node, Node | null>[])
      if (value) collect(value, `${pointer}/${pointerToken(isScalar(key) ? String(key.value) : '')}`, places, placeOf);
}

const broken = (message: string, place: JsonPlace | null): ImportError => ({
  pointer: '',
  line: place?.line ?? null,
  column: place?.column ?? null,
  code: 'bad_format',
  message,
});
