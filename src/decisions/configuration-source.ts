import { type JsonExpected, jsonFaultOf } from '@evenkeel/sdk/contract';
import type { ImportError } from './configuration-file.js';
import { type JsonPlace, lastPointerOf, placeAt, placesOfJson } from './json-places.js';

/** A file that was read, and where each of its values begins, by its JSON pointer; or why it cannot be read. */
export type ConfigurationSource = { file: unknown; places: ReadonlyMap<string, JsonPlace> } | { broken: ImportError };

/** Whether a text is read as YAML: anything that does not begin like an object or a list of JSON. */
export const isYaml = (text: string): boolean => !/^\s*[{[]/.test(text);

const EXPECTED: Record<JsonExpected, string> = {
  value: 'a value',
  name: 'the name of a member in double quotes, and a colon',
  comma_or_bracket: 'a comma or ]',
  comma_or_brace: 'a comma or }',
  end: 'the end of the text',
  less_depth: 'fewer lists and objects in one another',
};
/** More than any definition needs, and few enough to be read without much room for each. */
const DEEPEST = 1_000;
/** A longer pointer tells nobody where it is. */
const LONGEST_NEAR = 200;

export function readJson(text: string): ConfigurationSource {
  const fault = faultOfJson(text);
  if (!fault) return { file: JSON.parse(text), places: placesOfJson(text) };
  const { place, message, expected, near } = fault;
  return { broken: { ...broken(message, place), expected, ...(near === null ? {} : { near }) } };
}

/** Where a text stops being JSON, in words too; `near`: the value that was expected, else the last that began before. Null of JSON. */
export function faultOfJson(
  text: string,
): { place: JsonPlace; message: string; expected: JsonExpected; near: string | null } | null {
  const fault = jsonFaultOf(text, DEEPEST);
  if (!fault) return null;
  const { offset, expected } = fault;
  // Any value in its place has the pointer of the one that is missing.
  const before = text.slice(0, offset) + (expected === 'value' ? '0' : '');
  const pointer = lastPointerOf(before);
  const near = pointer && pointer.length <= LONGEST_NEAR ? pointer : null;
  const place = near === null ? '' : expected === 'value' ? ` of ${near}` : `, after ${near}`;
  return { place: placeAt(text, offset), message: `is not JSON: expected ${EXPECTED[expected]}${place}`, expected, near };
}

export const broken = (message: string, place: JsonPlace | null): ImportError => ({
  pointer: '',
  line: place?.line ?? null,
  column: place?.column ?? null,
  code: 'bad_format',
  message,
});
