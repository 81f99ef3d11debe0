import type { Conversion, ConversionTarget } from './foreign-jobs.js';
import { convertPowerJobs } from './powerjob-file.js';
import { convertXxlJobs } from './xxl-job-file.js';

/** Schedulers whose jobs can be taken over. */
export const CONVERTED_FROM = ['xxl-job', 'powerjob'] as const;
export type ConvertedFrom = (typeof CONVERTED_FROM)[number];

/** Where each keeps its jobs. */
export const TABLE_OF = { 'xxl-job': 'xxl_job_info', powerjob: 'job_info' } as const satisfies Record<ConvertedFrom, string>;

/** What another scheduler exported, as a file to import; null if the text is no such export. Pure. */
export const convertJobs = (from: ConvertedFrom, text: string, target: ConversionTarget): Conversion | null =>
  from === 'powerjob' ? convertPowerJobs(text, target) : convertXxlJobs(text, target);
