import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, stringify } from 'yaml';
import { type ExportedGroup, type ExportedJob, inFileOrder } from './configuration-file.js';
import { broken, type ConfigurationSource } from './configuration-source.js';
import { pointerToken } from './field-rules.js';
import type { JsonPlace } from './json-places.js';

// Loading the library takes longer than many a command: whoever needs no YAML does not load this file.

const MOST_ALIASES = 100;
const WRITTEN = {
  lineWidth: 0,
  doubleQuotedAsJSON: true,
  blockQuote: false,
  singleQuote: false,
  schema: 'core',
  aliasDuplicateObjects: false,
} as const;

/**
 * The configuration as YAML 1.2, in pieces: writing it takes many times as long as writing JSON, so whoever asks can let others go on
 * between them. No line is folded; what would read as anything but a text is quoted. The same objects give the same bytes.
 */
export function* configurationYaml(groups: readonly ExportedGroup[], jobs: readonly ExportedJob[]): Generator<string> {
  const { schema, schemaVersion, ...lists } = inFileOrder(groups, jobs);
  yield stringify({ schema, schemaVersion }, WRITTEN);
  for (const [name, items] of Object.entries(lists)) {
    yield items.length === 0 ? `${name}: []\n` : `${name}:\n`;
    for (const item of items) yield stringify([item], WRITTEN).replaceAll(/^|\n(?!$)/g, '$&  ');
  }
}

/** Reads YAML 1.2 without tags of its own. Pure. */
export function readYaml(text: string): ConfigurationSource {
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
