import { faultOfJson } from './configuration-source.js';
import type { Conversion, ConversionTarget } from './foreign-jobs.js';
import { convertPowerJobs } from './powerjob-file.js';
import { convertXxlJobs } from './xxl-job-file.js';

/** Schedulers whose jobs can be taken over. */
export const CONVERTED_FROM = ['xxl-job', 'powerjob'] as const;
export type ConvertedFrom = (typeof CONVERTED_FROM)[number];

/** Where each keeps its jobs. */
export const TABLE_OF = { 'xxl-job': 'xxl_job_info', powerjob: 'job_info' } as const satisfies Record<ConvertedFrom, string>;

/** Members of which a row has one at least. */
const MEMBERS_OF = {
  'xxl-job': ['executorHandler', 'glueType'],
  powerjob: ['processorInfo', 'timeExpressionType'],
} as const satisfies Record<ConvertedFrom, readonly string[]>;

/** Why a text is no export of that scheduler: it is not JSON, with the place, or holds no rows. `text` was not converted. */
export function whyNotConverted(from: ConvertedFrom, text: string): string {
  const fault = faultOfJson(text);
  const rows = `rows of ${TABLE_OF[from]} as JSON, with the members ${MEMBERS_OF[from].join(' or ')}`;
  if (!fault) return `it holds no ${rows}`;
  const { line, column } = fault.place;
  return `line ${line}, column ${column}: ${fault.message}; it must hold ${rows}`;
}

/** What another scheduler exported, as a file to import; null if the text is no such export. Pure. */
export const convertJobs = (from: ConvertedFrom, text: string, target: ConversionTarget): Conversion | null =>
  from === 'powerjob' ? convertPowerJobs(text, target) : convertXxlJobs(text, target);
