import type { FieldError } from '@evenkeel/sdk/contract';
import { checkGroupKey, checkGroupSettings } from './check-group.js';
import { checkNewJob } from './check-job.js';
import {
  CONFIGURATION_SCHEMA,
  CONFIGURATION_VERSION,
  type ExportedGroup,
  type ImportError,
  upstreamPlace,
} from './configuration-file.js';
import { type ConfigurationSource, readJson } from './configuration-source.js';
import { isObject, typeOf } from './field-rules.js';
import { said } from './field-sentences.js';
import type { JobDefinition } from './job-definition.js';
import { placeOf } from './json-places.js';

export interface CheckedJob {
  pointer: string;
  group: string;
  key: string;
  /** Its upstreams are not ids but where the file says they are. */
  definition: JobDefinition;
  upstreams: { group: string; key: string }[];
}
export interface CheckedConfiguration {
  groups: (Partial<ExportedGroup> & { pointer: string; key: string })[];
  jobs: CheckedJob[];
  errors: ImportError[];
  /** Adds what only the installation can tell. */
  located: (error: FieldError) => ImportError;
}

/**
 * Reads the text of a configuration file by the rules of single objects. States every rule that is broken, with its line. JSON
 * unless another reader is given. Pure.
 */
export function checkConfiguration(
  text: string,
  defaultTimeZone: string,
  read: (text: string) => ConfigurationSource = readJson,
): CheckedConfiguration {
  const source = read(text);
  if ('broken' in source) return { groups: [], jobs: [], errors: [source.broken], located: (each) => ({ ...each, ...NOWHERE }) };
  const { file, places } = source;
  const located = (error: FieldError): ImportError => ({ ...error, ...(placeOf(places, error.pointer) ?? NOWHERE) });
  const errors: FieldError[] = [];
  const { groups, jobs } = members(file, errors);
  const seen = new Set<string>();
  const once = (name: string, pointer: string): void => {
    if (seen.has(name)) errors.push({ pointer, code: 'not_unique', ...said('twice_in_file') });
    seen.add(name);
  };
  const checkedGroups = groups.flatMap((group, i) => {
    const pointer = `/groups/${i}`;
    const { key, ...settings } = isObject(group) ? group : {};
    const own = isObject(group)
      ? [...checkGroupKey(key), ...checkGroupSettings(settings)]
      : [{ pointer: '', code: 'wrong_type' as const, ...said('object', { got: typeOf(group) }) }];
    errors.push(...under(pointer, own));
    if (own.length > 0) return [];
    once(`group ${key}`, `${pointer}/key`);
    return [{ ...(settings as Partial<ExportedGroup>), key: key as string, pointer }];
  });
  const checkedJobs = jobs.flatMap((job, i) => {
    const pointer = `/jobs/${i}`;
    const before = errors.length;
    const checked = checkJob(job, pointer, defaultTimeZone, errors);
    if (!checked || errors.length > before) return [];
    once(`job ${checked.group}/${checked.key}`, `${pointer}/key`);
    return [checked];
  });
  return { groups: checkedGroups, jobs: checkedJobs, errors: errors.map(located), located };
}

function members(file: unknown, errors: FieldError[]): { groups: unknown[]; jobs: unknown[] } {
  const none = { groups: [], jobs: [] };
  if (!isObject(file)) {
    const message = `must be an object of JSON or a mapping of YAML, with the member schema: ${CONFIGURATION_SCHEMA}`;
    errors.push({ pointer: '', code: 'wrong_type', message });
    return none;
  }
  if (file.schema !== CONFIGURATION_SCHEMA) {
    const code = file.schema === undefined ? 'required' : 'not_allowed';
    errors.push({ pointer: '/schema', code, ...said('exactly', { value: CONFIGURATION_SCHEMA }) });
    return none;
  }
  if (file.schemaVersion !== CONFIGURATION_VERSION) {
    const code = file.schemaVersion === undefined ? 'required' : 'not_allowed';
    errors.push({ pointer: '/schemaVersion', code, ...said('exactly', { value: CONFIGURATION_VERSION }) });
    return none;
  }
  for (const name of Object.keys(file))
    if (!['schema', 'schemaVersion', 'groups', 'jobs'].includes(name))
      errors.push({ pointer: `/${name}`, code: 'unknown_field', ...said('unknown_member') });
  const list = (name: 'groups' | 'jobs'): unknown[] => {
    const value = file[name] ?? [];
    if (Array.isArray(value)) return value;
    errors.push({ pointer: `/${name}`, code: 'wrong_type', ...said('array', { got: typeOf(value) }) });
    return [];
  };
  return { groups: list('groups'), jobs: list('jobs') };
}

function checkJob(job: unknown, pointer: string, defaultTimeZone: string, errors: FieldError[]): CheckedJob | null {
  if (!isObject(job)) {
    errors.push({ pointer, code: 'wrong_type', ...said('object', { got: typeOf(job) }) });
    return null;
  }
  const { paramsText = 'null', upstreams, ...stated } = job as Record<string, unknown>;
  for (const name of ['params', 'clientRequestId', 'callbackUrl'])
    if (Object.hasOwn(stated, name))
      errors.push({ pointer: `${pointer}/${name}`, code: 'unknown_field', ...said('unknown_member') });
  const group = stated.group;
  if (typeof group !== 'string') errors.push({ pointer: `${pointer}/group`, code: 'required', ...said('required') });
  const params = parsed(paramsText);
  if (!params) {
    errors.push({ pointer: `${pointer}/paramsText`, code: 'bad_format', ...said('json_text') });
    return null;
  }
  // A key of another group is named with it, which the rule for single jobs does not know.
  const places = Array.isArray(upstreams) ? upstreams.map((name) => upstreamPlace(`${group}`, `${name}`)) : [];
  const names = Array.isArray(upstreams) ? places.map(({ key }) => key) : upstreams;
  const body = {
    timeZone: defaultTimeZone,
    ...stated,
    params: params.value,
    ...(upstreams === undefined ? {} : { upstreams: names }),
  };
  // Nothing in the file fires by being imported, so what lies in the past is welcome.
  const verdict = checkNewJob(body, { nowMs: 0, paramsText: paramsText as string });
  if (!verdict.ok) {
    const renamed = verdict.errors.map((error) => ({
      ...error,
      pointer: error.pointer.replace(/^\/params(?=\/|$)/, '/paramsText'),
    }));
    errors.push(...under(pointer, renamed));
    return null;
  }
  return { pointer, group: `${group}`, key: stated.key as string, definition: verdict.definition, upstreams: places };
}

function parsed(text: unknown): { value: unknown } | null {
  if (typeof text !== 'string') return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

const under = (pointer: string, errors: readonly FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));

const NOWHERE = { line: null, column: null };
