import { administration } from './administration';
import { alerts } from './alerts';
import { auditFields } from './audit-fields';
import { backfill } from './backfill';
import { callbacks } from './callbacks';
import { codes } from './codes';
import { common } from './common';
import { deeds } from './deeds';
import { fieldErrors } from './field-errors';
import { graph } from './graph';
import { groups } from './groups';
import { jobEditor } from './job-editor';
import { jobHistory } from './job-history';
import { jobs } from './jobs';
import { keys } from './keys';
import type { Message } from './message';
import { overview } from './overview';
import { settings } from './settings';
import { shell } from './shell';
import { tasks } from './tasks';
import { tester } from './tester';
import { transfer } from './transfer';
import { workers } from './workers';

/** Every part's texts; a part added here is known everywhere. */
const AREAS = {
  administration,
  alerts,
  auditFields,
  backfill,
  callbacks,
  common,
  codes,
  deeds,
  fieldErrors,
  graph,
  groups,
  jobEditor,
  jobHistory,
  jobs,
  keys,
  overview,
  settings,
  shell,
  tasks,
  tester,
  transfer,
  workers,
};

type Zh = { [Area in keyof typeof AREAS]: keyof (typeof AREAS)[Area]['zh'] }[keyof typeof AREAS];
export type MessageKey = Zh & string;

const all = Object.values(AREAS) as { zh: Record<string, string>; en: Record<string, Message> }[];
export const CATALOGUES = {
  'zh-CN': Object.assign({}, ...all.map(({ zh }) => zh)) as Record<MessageKey, Message>,
  en: Object.assign({}, ...all.map(({ en }) => en)) as Record<MessageKey, Message>,
};
