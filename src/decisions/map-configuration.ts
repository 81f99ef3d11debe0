import type { FieldError } from '@evenkeel/sdk/contract';
import type { CheckedConfiguration } from './check-configuration.js';
import { checkGroupKey } from './check-group.js';
import { said } from './field-sentences.js';

/** Other names for groups and owners of a file, by the names they have in it. */
export interface NameMap {
  groups?: Readonly<Record<string, string>>;
  owners?: Readonly<Record<string, string>>;
}
/** Which names a file has that can be mapped, each once, in order. */
export interface MappableNames {
  groups: string[];
  owners: string[];
}

export function namesOf({ groups, jobs }: Pick<CheckedConfiguration, 'groups' | 'jobs'>): MappableNames {
  const owners = jobs.flatMap(({ definition }) => definition.owner ?? []);
  const used = jobs.flatMap(({ group, upstreams }) => [group, ...upstreams.map((upstream) => upstream.group)]);
  return { groups: each([...groups.map(({ key }) => key), ...used]), owners: each(owners) };
}

/**
 * The file as if it had been written with the other names. A group that is mapped onto one that is there already, or that the file
 * has too, brings its jobs and not its settings. Jobs that would thereby have one name are errors. Pure.
 */
export function mapConfiguration(
  checked: CheckedConfiguration,
  names: NameMap,
  isThere: (group: string) => boolean,
): CheckedConfiguration {
  const groupOf = (name: string) => named(names.groups, name);
  const own = new Set(checked.groups.map(({ key }) => key));
  const taken = new Set<string>();
  const groups = checked.groups.flatMap((group) => {
    const key = groupOf(group.key);
    if (key !== group.key && (isThere(key) || own.has(key) || taken.has(key))) return [];
    taken.add(key);
    return [{ ...group, key }];
  });
  const wrongNames = Object.values(names.groups ?? {}).flatMap((name) => checkGroupKey(name));
  const errors: FieldError[] = wrongNames.map((error) => ({ ...error, pointer: '/groups' }));
  const seen = new Set<string>();
  const jobs = checked.jobs.map((job) => {
    const group = groupOf(job.group);
    const place = `${group}/${job.key}`;
    if (seen.has(place))
      errors.push({ pointer: `${job.pointer}/key`, code: 'not_unique', ...said('twice_once_mapped', { group }) });
    seen.add(place);
    const { owner } = job.definition;
    const definition = owner == null ? job.definition : { ...job.definition, owner: named(names.owners, owner) };
    return { ...job, group, definition, upstreams: job.upstreams.map((up) => ({ ...up, group: groupOf(up.group) })) };
  });
  return { ...checked, groups, jobs, errors: [...checked.errors, ...errors.map(checked.located)] };
}

const named = (names: Readonly<Record<string, string>> | undefined, name: string): string =>
  names && Object.hasOwn(names, name) ? (names[name] as string) : name;
const each = (names: readonly string[]): string[] => [...new Set(names)].sort();
