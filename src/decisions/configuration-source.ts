import { jsonFault } from '@evenkeel/sdk/contract';
import type { ImportError } from './configuration-file.js';
import { type JsonPlace, placeAt, placesOfJson } from './json-places.js';

/** A file that was read, and where each of its values begins, by its JSON pointer; or why it cannot be read. */
export type ConfigurationSource = { file: unknown; places: ReadonlyMap<string, JsonPlace> } | { broken: ImportError };

/** Whether a text is read as YAML: anything that does not begin like an object of JSON. */
export const isYaml = (text: string): boolean => !/^\s*\{/.test(text);

export function readJson(text: string): ConfigurationSource {
  try {
    return { file: JSON.parse(text), places: placesOfJson(text) };
  } catch (error) {
    const offset = jsonFault(text);
    return { broken: broken((error as Error).message, offset === null ? null : placeAt(text, offset)) };
  }
}

export const broken = (message: string, place: JsonPlace | null): ImportError => ({
  pointer: '',
  line: place?.line ?? null,
  column: place?.column ?? null,
  code: 'bad_format',
  message,
});
