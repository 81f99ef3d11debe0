import type { FieldError, JsonExpected, Routing } from '@evenkeel/sdk/contract';
import type { GroupPolicies } from './policies.js';
import type { JobDefinitionView } from './stated-job.js';

export const CONFIGURATION_SCHEMA = 'evenkeel.configuration';
export const CONFIGURATION_VERSION = 1;

/** Groups and jobs of an installation: what was decided, without ids, secrets or state. In the order of their keys. */
export interface ConfigurationFile {
  schema: typeof CONFIGURATION_SCHEMA;
  schemaVersion: typeof CONFIGURATION_VERSION;
  groups: ExportedGroup[];
  jobs: ExportedJob[];
}
export interface ExportedGroup {
  key: string;
  maxRunning: number;
  maxPending: number;
  maxDispatchRate: number | null;
  routing: Routing | null;
  policies: GroupPolicies;
}
/** A job of the house; those of partners stay with them. `upstreams` are keys of the same group, or `group/key`. */
export interface ExportedJob extends JobDefinitionView {
  group: string;
  key: string;
}

/**
 * What becomes of what is there already and differs: it stays, it is overwritten, or a job of the file is written beside it under a
 * key of its own (a group stays).
 */
export const ON_CONFLICT = ['skip', 'overwrite', 'rename'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];
/** What an import does with one object. `conflict`: it is there, differs, and stays as it is. */
export interface ImportItem {
  type: 'group' | 'job';
  group: string;
  key: string;
  /** Its key in the file, if it is written under another one. */
  renamedFrom: string | null;
  action: 'create' | 'update' | 'unchanged' | 'conflict';
  /** Where file and installation differ; JSON texts, null for absent. */
  diff: { field: string; before: string | null; after: string | null }[];
}
/**
 * `pointer` into the file; `line` and `column` of it, both from 1. Of a text that is not JSON: what was `expected` at that place, and
 * `near` which value, by its pointer: the one that was expected, else the last that began before; absent for the whole file.
 */
export interface ImportError extends FieldError {
  line: number | null;
  column: number | null;
  expected?: JsonExpected;
  near?: string;
}

export const FILE_FORMATS = ['json', 'yaml'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** The file as text: the same objects give the same bytes, whatever the order they were made in. */
export const configurationText = (groups: readonly ExportedGroup[], jobs: readonly ExportedJob[]): string =>
  `${JSON.stringify(inFileOrder(groups, jobs), null, 2)}\n`;

/** Groups and jobs by their keys, members in one order. */
export function inFileOrder(groups: readonly ExportedGroup[], jobs: readonly ExportedJob[]): ConfigurationFile {
  return {
    schema: CONFIGURATION_SCHEMA,
    schemaVersion: CONFIGURATION_VERSION,
    groups: [...groups].sort((a, b) => compare(a.key, b.key)).map((group) => ordered(group, ['key'])),
    jobs: [...jobs]
      .sort((a, b) => compare(a.group, b.group) || compare(a.key, b.key))
      .map((job) => ordered(job, ['group', 'key', 'handler', 'paramsText', 'schedule'])),
  };
}

/** How a group is named that a job of `group` waits for a job of. */
export const upstreamName = (group: string, upstream: { group: string; key: string }): string =>
  upstream.group === group ? upstream.key : `${upstream.group}/${upstream.key}`;

/** The same name, read. */
export function upstreamPlace(group: string, name: string): { group: string; key: string } {
  const slash = name.indexOf('/');
  return slash < 0 ? { group, key: name } : { group: name.slice(0, slash), key: name.slice(slash + 1) };
}

/** Which members differ, by what they mean and not by the order of theirs. */
export function differences(before: object, after: object): ImportItem['diff'] {
  const [old, fresh] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].sort().flatMap((field) => {
    const [a, b] = [textOf(old[field]), textOf(fresh[field])];
    return a === b ? [] : [{ field, before: a, after: b }];
  });
}

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(ordered(value, [])));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** With members in one order at every depth: the named ones first, the others by name. */
function ordered<T>(value: T, first: readonly string[]): T {
  if (Array.isArray(value)) return value.map((item) => ordered(item, [])) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  const rest = Object.keys(members)
    .filter((name) => !first.includes(name))
    .sort(compare);
  const names = [...first.filter((name) => Object.hasOwn(members, name)), ...rest].filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, ordered(members[name], [])])) as T;
}
