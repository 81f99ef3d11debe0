import type { FieldError } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { type CheckedConfiguration, type CheckedJob, checkConfiguration } from '../decisions/check-configuration.js';
import {
  configurationText,
  differences,
  type ExportedGroup,
  type ExportedJob,
  type FileFormat,
  type ImportError,
  type ImportItem,
  type OnConflict,
  upstreamName,
} from '../decisions/configuration-file.js';
import { isYaml } from '../decisions/configuration-source.js';
import { circleThrough } from '../decisions/dependency-graph.js';
import { type Said, said } from '../decisions/field-sentences.js';
import { type MappableNames, mapConfiguration, type NameMap, namesOf } from '../decisions/map-configuration.js';
import { actionOf, type Existing, type NamedJob, planJob, renameConflicts, unrenamed } from '../decisions/plan-import.js';
import { definitionView } from '../decisions/stated-job.js';
import { Config } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import type { Witness } from '../platform/witness.js';
import { SqlDialect } from '../ports.js';
import { type Group, settingsOf } from './group.js';
import { DEFAULT_LIMITS, GroupsService } from './groups.service.js';
import { HouseJobStore } from './house-job.store.js';
import type { Job } from './job.js';
import { JobsService } from './jobs.service.js';
import { refusalOfArchived } from './open-groups.js';

const IMPORTED = 'imported';
const YAML_AT_ONCE = 50;

export interface ImportRequest {
  text: string;
  dryRun: boolean;
  onConflict: OnConflict;
  /** Under which other names groups and owners of the file are taken in. */
  names?: NameMap;
  by: string;
  /** Null if whoever asks may do it; else why not. */
  refusal: (what: 'group.see' | 'group.create' | 'group.edit' | 'job.see' | 'job.edit', group: string) => Said | null;
  groupWitness?: Witness<Group>;
  jobWitness?: Witness<Job>;
}
export interface ImportOutcome {
  items: ImportItem[];
  errors: ImportError[];
  /** What can be mapped, by its names in the file. */
  names: MappableNames;
}
type Plan<T> = { item: ImportItem; stated: T };
type StatedGroup = CheckedConfiguration['groups'][number];

const placeOf = ({ group, key }: { group: string; key: string }): string => `${group}/${key}`;
const groupView = (group: Group): ExportedGroup => ({ key: group.key, ...settingsOf(group) });

/**
 * Groups and the house's jobs as one file, and back. An import writes nothing unless all of the file can be written; then each object
 * in a transaction of its own, upstreams before those that wait for them. If the process dies in it, importing the same file again
 * finds what is done unchanged and goes on.
 */
@Injectable()
export class ConfigurationService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: HouseJobStore,
    private readonly groups: GroupsService,
    private readonly jobs: JobsService,
    private readonly config: Config,
  ) {}

  /**
   * The text of the file; `ids`: of these jobs only, with their groups. A job that cannot be read is left out, and one that waits for a
   * job of a group not to be seen.
   */
  async export(
    groups: readonly Group[],
    sees: (group: string) => boolean = () => true,
    ids?: readonly string[],
    format: FileFormat = 'json',
  ): Promise<string> {
    const jobs = await this.houseJobs();
    const wanted = new Set(groups.map(({ id }) => id));
    const shown = [...jobs.values()].filter(
      ({ job, upstreams }) =>
        job.corrupt === null &&
        wanted.has(job.groupId) &&
        (ids?.includes(job.id) ?? true) &&
        upstreams.every((place) => sees(place.split('/', 1)[0] as string)),
    );
    const filled = new Set(shown.map(({ job }) => job.groupId));
    const views = groups.filter(({ id }) => ids === undefined || filled.has(id)).map(groupView);
    const exported = shown.map((job) => job.exported);
    if (format === 'json') return configurationText(views, exported);
    const pieces: string[] = [];
    const { configurationYaml } = await import('../decisions/configuration-yaml.js');
    for (const piece of configurationYaml(views, exported)) {
      // Writing much must not keep the dispatcher of this node waiting.
      if (pieces.push(piece) % YAML_AT_ONCE === 0) await new Promise(setImmediate);
    }
    return pieces.join('');
  }

  async import(request: ImportRequest): Promise<ImportOutcome> {
    const reader = isYaml(request.text) ? (await import('../decisions/configuration-yaml.js')).readYaml : undefined;
    const read = checkConfiguration(request.text, this.config.defaultTimezone, reader);
    const checked = mapConfiguration(read, request.names ?? {}, (key) => this.groups.byKey(key) !== undefined);
    const names = namesOf(read);
    const known = await this.houseJobs();
    // Of what whoever asks may not see nothing is told, not even how the file differs from it.
    const shown = ({ key }: StatedGroup) => !this.groups.byKey(key) || request.refusal('group.see', key) === null;
    const mine = ({ group }: CheckedJob) => request.refusal('job.edit', group) === null;
    const groups = checked.groups.filter(shown).map((stated) => ({ stated, item: this.planGroup(stated, request) }));
    const existing: Existing = (place) => known.get(placeOf(place))?.exported;
    const named = this.named(checked.jobs, request, existing);
    const jobs = named.filter(mine).map((stated) => ({ stated, item: planJob(stated, existing(stated), request.onConflict) }));
    const asNamed = { ...checked, jobs: named };
    const refused = [...this.refusals(asNamed, groups, request), ...this.references(asNamed, known, request)];
    const errors = [...checked.errors, ...[...refused, ...(await this.takenKeys(jobs))].map(checked.located)];
    const items = [...groups, ...jobs].map(({ item }) => item);
    if (errors.length > 0 || request.dryRun) return { items, errors, names };
    for (const plan of groups) await this.writeGroup(plan, request);
    for (const plan of inOrder(jobs)) await this.writeJob(plan, request);
    return { items, errors, names };
  }

  /** A job whoever asks may not edit is not compared with what is there. */
  private named(jobs: readonly CheckedJob[], { onConflict, refusal }: ImportRequest, existing: Existing): NamedJob[] {
    if (onConflict !== 'rename') return jobs.map(unrenamed);
    return renameConflicts(jobs, (place) => (refusal('job.edit', place.group) === null ? existing(place) : undefined));
  }

  private planGroup(stated: StatedGroup, { onConflict }: ImportRequest): ImportItem {
    const names = { type: 'group' as const, group: stated.key, key: stated.key, renamedFrom: null };
    const existing = this.groups.byKey(stated.key);
    const after = withDefaults(stated);
    if (!existing) return { ...names, action: 'create', diff: differences({}, after) };
    return { ...names, ...actionOf(differences(groupView(existing), after), onConflict) };
  }

  private *refusals(
    checked: CheckedConfiguration,
    groups: Plan<StatedGroup>[],
    { refusal }: ImportRequest,
  ): Generator<FieldError> {
    for (const stated of checked.groups) {
      const action = groups.find((plan) => plan.stated === stated)?.item.action;
      if (action === 'unchanged' || action === 'conflict') continue;
      const words = refusal(action === 'create' ? 'group.create' : 'group.edit', stated.key);
      if (words) yield { pointer: stated.pointer, code: 'not_allowed', ...words };
    }
    for (const { pointer, group } of checked.jobs) {
      const words = refusal('job.edit', group);
      if (words) yield { pointer, code: 'not_allowed', ...words };
    }
  }

  /** Groups and upstreams that are neither in the file nor in the installation as whoever asks sees it, and circles. */
  private *references(
    { groups, jobs }: CheckedConfiguration,
    known: KnownJobs,
    { refusal }: ImportRequest,
  ): Generator<FieldError> {
    const words = said('nowhere');
    const inFile = new Set(groups.map(({ key }) => key));
    const graph = new Map([...known].map(([place, { upstreams }]) => [place, upstreams]));
    for (const job of jobs) graph.set(placeOf(job), job.upstreams.map(placeOf));
    for (const { pointer, upstreams, ...job } of jobs) {
      if (refusal('job.edit', job.group)) continue;
      if (!inFile.has(job.group) && !this.groups.byKey(job.group))
        yield { pointer: `${pointer}/group`, code: 'not_allowed', ...words };
      const archived = refusalOfArchived(this.groups.byKey(job.group));
      if (archived) yield { pointer: `${pointer}/group`, code: 'archived', ...said('archived') };
      for (const [i, upstream] of upstreams.entries())
        if (!graph.has(placeOf(upstream)) || refusal('job.see', upstream.group))
          yield { pointer: `${pointer}/upstreams/${i}`, code: 'unknown_job', ...words };
      if (circleThrough(placeOf(job), upstreams.map(placeOf), graph))
        yield { pointer: `${pointer}/upstreams`, code: 'dependency_cycle', ...said('circle') };
    }
  }

  private async takenKeys(jobs: readonly Plan<CheckedJob>[]): Promise<FieldError[]> {
    const fresh = jobs.filter(({ item }) => item.action === 'create').map(({ stated }) => stated);
    const groupIds = [...new Set(fresh.flatMap(({ group }) => this.groups.byKey(group)?.id ?? []))];
    const taken = await this.store.takenByApps(this.dialect.root, groupIds);
    return fresh
      .filter(({ group, key }) => taken.has(`${this.groups.byKey(group)?.id} ${key}`))
      .map(({ pointer }) => ({ pointer: `${pointer}/key`, code: 'not_unique', ...said('partner_job_key') }));
  }

  private async writeGroup({ item, stated }: Plan<StatedGroup>, { groupWitness }: ImportRequest): Promise<void> {
    const { key, ...settings } = withDefaults(stated);
    if (item.action === 'create') await this.groups.create(key, settings, groupWitness);
    if (item.action === 'update') await this.groups.update(key, null, settings, groupWitness);
  }

  private async writeJob({ item, stated }: Plan<CheckedJob>, { by, jobWitness }: ImportRequest): Promise<void> {
    if (item.action !== 'create' && item.action !== 'update') return;
    const known = await this.houseJobs([stated.group, ...stated.upstreams.map(({ group }) => group)]);
    const upstreams = stated.upstreams.map((place) => known.get(placeOf(place))?.job.id ?? placeOf(place));
    const definition = { ...stated.definition, ...(upstreams.length > 0 ? { upstreams } : {}) };
    const existing = known.get(placeOf(stated))?.job;
    if (existing) {
      const { id, version } = existing;
      const outcome = await this.jobs.updatePaused('anybody', id, version, definition, by, IMPORTED, jobWitness);
      if (outcome.outcome !== 'changed') throw AppError.because('version_conflict', 'import_changed', { place: placeOf(stated) });
      return;
    }
    const group = this.groups.byKey(stated.group) as Group;
    const names = { key: stated.key, groupId: group.id, partition: group.partition, appId: null };
    const outcome = await this.jobs.create(
      { ...names, clientRequestId: null, fingerprint: null, by, paused: true, pauseReason: IMPORTED },
      definition,
      jobWitness,
    );
    if (outcome.outcome !== 'created') throw AppError.because('state_conflict', 'import_made', { place: placeOf(stated) });
  }

  private async houseJobs(groupKeys?: readonly string[]): Promise<KnownJobs> {
    const groups = this.groups.all().filter(({ key }) => groupKeys?.includes(key) ?? true);
    const jobs = await this.store.ofGroups(
      this.dialect.root,
      groups.map(({ id }) => id),
    );
    const places = new Map(jobs.map((job) => [job.id, { group: this.groups.byId(job.groupId)?.key ?? '', key: job.key }]));
    return new Map(
      jobs.map((job) => {
        const place = places.get(job.id) as { group: string; key: string };
        const upstreams = (job.upstreams ?? []).flatMap((id) => places.get(id) ?? []);
        const { callbackUrl: _, ...definition } = definitionView(job);
        const named = upstreams.map((upstream) => upstreamName(place.group, upstream)).sort();
        const exported: ExportedJob = { ...place, ...definition, ...(named.length > 0 ? { upstreams: named } : {}) };
        return [placeOf(place), { job, exported, upstreams: upstreams.map(placeOf) }];
      }),
    );
  }
}

/** By `group/key`. */
type KnownJobs = Map<string, { job: Job; exported: ExportedJob; upstreams: string[] }>;

const withDefaults = ({ pointer: _, ...stated }: StatedGroup): ExportedGroup => ({
  ...DEFAULT_LIMITS,
  maxDispatchRate: null,
  routing: null,
  policies: {},
  ...stated,
});

/** Upstreams before those that wait for them; there is no circle. */
function inOrder(jobs: readonly Plan<CheckedJob>[]): Plan<CheckedJob>[] {
  const byPlace = new Map(jobs.map((plan) => [placeOf(plan.stated), plan]));
  const ordered = new Set<Plan<CheckedJob>>();
  const open = [...jobs].reverse();
  for (let plan = open.at(-1); plan; plan = open.at(-1)) {
    const first = plan.stated.upstreams
      .flatMap((upstream) => byPlace.get(placeOf(upstream)) ?? [])
      .filter((each) => !ordered.has(each));
    if (first.length > 0) open.push(...first);
    else {
      open.pop();
      ordered.add(plan);
    }
  }
  return [...ordered];
}
