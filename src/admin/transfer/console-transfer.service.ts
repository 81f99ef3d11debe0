import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { zone } from '../../decisions/check-job.js';
import { SUBMISSION_RULES } from '../../decisions/check-submission.js';
import { FILE_FORMATS, ON_CONFLICT } from '../../decisions/configuration-file.js';
import { isYaml } from '../../decisions/configuration-source.js';
import { CONVERTED_FROM, convertJobs, TABLE_OF, whyNotConverted } from '../../decisions/convert-jobs.js';
import {
  anyText,
  checkMembers,
  flag,
  isObject,
  oneOf,
  pointerToken,
  type Rule,
  rules,
  typeOf,
} from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { may, type Permission } from '../../decisions/permissions.js';
import { ConfigurationService } from '../../jobs/configuration.service.js';
import { groupImport } from '../../jobs/group-import.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { jobDeed } from '../../jobs/job-deed.js';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import type { ConvertConfiguration, ConvertedConfiguration, ImportAnswer, ImportConfiguration } from '../contract/transfer.js';
import { bodyOf, many, queryOf, reasonRule, shortText, words } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';

const MOST_TEXT = 16_000_000;
/** YAML is read in one go, ten times as slowly as JSON: this much must not keep the dispatcher of this node waiting. */
const MOST_YAML = 1_500_000;
const MOST_NAMES = 1_000;
const OWNER_LENGTH = 128;
const nameMap =
  (rule: Rule): Rule =>
  (value, pointer, findings) => {
    if (!isObject(value)) return void findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
    const names = Object.entries(value);
    if (names.length > MOST_NAMES) findings.add(pointer, 'too_many', said('at_most_items', { max: MOST_NAMES, what: 'names' }));
    else for (const [name, to] of names) rule(to, `${pointer}/${pointerToken(name)}`, findings);
  };
const group = SUBMISSION_RULES.get('group') as Rule;
const NAMES = rules({ groups: nameMap(group), owners: nameMap(anyText(OWNER_LENGTH)) });
const IMPORT = rules({
  fileText: anyText(MOST_TEXT),
  dryRun: flag,
  onConflict: oneOf(ON_CONFLICT),
  reason: reasonRule,
  names: (value, pointer, findings) => {
    if (isObject(value)) checkMembers(value, NAMES, pointer, findings);
    else findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
  },
});
const EXPORT = { group: many(shortText(64)), job: many(shortText(31)), format: words(FILE_FORMATS) };
const TYPES = { json: 'application/json', yaml: 'application/yaml' };
const CONVERT = rules({
  from: oneOf(CONVERTED_FROM),
  fileText: anyText(MOST_TEXT),
  group,
  timeZone: zone,
});
const TOO_MUCH_YAML = {
  pointer: '/fileText',
  code: 'too_long' as const,
  ...said('yaml_length', { max: MOST_YAML }),
};
const NEEDED = {
  'group.see': 'groups.view',
  'group.create': 'groups.create',
  'group.edit': 'groups.edit',
  'job.see': 'jobs.view',
  'job.edit': 'jobs.edit',
} satisfies Record<string, Permission>;

/** Groups and the house's jobs out into a file, and in again. */
@Injectable()
export class ConsoleTransferService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly groups: GroupsService,
    private readonly trail: Trail,
    private readonly config: Config,
  ) {}

  /** Of the groups whose jobs the caller may see. */
  async export(request: ConsoleRequest, reply: FastifyReply): Promise<string> {
    const { group, job, format = 'json' } = queryOf(request, EXPORT);
    const { rights } = request.caller;
    const wanted = this.groups
      .all()
      .filter(({ key }) => (group?.includes(key) ?? true) && may(rights, 'jobs.view', key) && may(rights, 'groups.view', key));
    reply.header('content-type', `${TYPES[format]}; charset=utf-8`);
    reply.header('content-disposition', `attachment; filename="evenkeel-configuration.${format}"`);
    return this.configuration.export(wanted, (key) => may(rights, 'jobs.view', key), job, format);
  }

  async import(request: ConsoleRequest, reply: FastifyReply): Promise<ImportAnswer> {
    const stated = bodyOf<ImportConfiguration>(request, IMPORT, ['fileText']);
    const { fileText, dryRun = false, onConflict = 'skip', reason } = stated;
    if (fileText.length > MOST_YAML && isYaml(fileText)) throw AppError.fields([TOO_MUCH_YAML]);
    const { rights } = request.caller;
    const author = authorOf(request.caller, reply, reason);
    const { items, errors, names } = await this.configuration.import({
      text: fileText,
      dryRun,
      onConflict,
      names: stated.names,
      by: author.actor,
      refusal: (what, group) => {
        const permission = NEEDED[what];
        if (may(rights, permission, what === 'group.create' ? null : group)) return null;
        return said(what === 'group.create' ? 'role_lacks' : 'role_lacks_there', { permission });
      },
      groupWitness: this.trail.of(author, groupImport),
      jobWitness: this.trail.of(author, jobDeed('job.imported', this.groups)),
    });
    const counts = { create: 0, update: 0, unchanged: 0, conflict: 0 };
    for (const { action } of items) counts[action] += 1;
    return { dryRun, items, errors, counts, names };
  }

  /** What another scheduler exported, as a file to import. Throws AppError `validation_failed` for a text that is no such export. */
  convert(request: ConsoleRequest): ConvertedConfiguration {
    const required = ['from', 'fileText', 'group'];
    const {
      from,
      fileText,
      group,
      timeZone = this.config.defaultTimezone,
    } = bodyOf<ConvertConfiguration>(request, CONVERT, required);
    const converted = convertJobs(from, fileText, { group, timeZone });
    if (!converted) {
      const words = { ...said('foreign_rows', { table: TABLE_OF[from] }), message: whyNotConverted(from, fileText) };
      throw AppError.fields([{ pointer: '/fileText', code: 'bad_format', ...words }]);
    }
    return { fileText: converted.text, jobs: converted.jobs, notes: converted.notes };
  }
}
