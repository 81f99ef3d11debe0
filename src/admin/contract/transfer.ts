import type {
  ConfigurationFile,
  ExportedGroup,
  ExportedJob,
  ImportError,
  ImportItem,
  OnConflict,
} from '../../decisions/configuration-file.js';
import type { ConversionNote, ConvertedFrom } from '../../decisions/xxl-job-file.js';

/** Answer of `GET /api/export?group=&job=`, and what an import takes. `job`: ids; the file then holds these and their groups. */
export type { ConfigurationFile, ConversionNote, ConvertedFrom, ExportedGroup, ExportedJob, ImportError, ImportItem, OnConflict };
/** Body of `POST /api/import`. `onConflict` says what becomes of what is there already and differs. */
export interface ImportConfiguration {
  /** The text of the file. */
  fileText: string;
  dryRun?: boolean;
  onConflict?: OnConflict;
  reason?: string;
}
/** Body of `POST /api/import/convert`: what another scheduler exported. `group`: where its jobs are to go; `timeZone`: of its cron expressions, the installation's if absent. */
export interface ConvertConfiguration {
  from: ConvertedFrom;
  /** The text of the file. */
  fileText: string;
  group: string;
  timeZone?: string;
}
/** Answer of it: a file to import, and what of the old one is different in it. Nothing is written. */
export interface ConvertedConfiguration {
  fileText: string;
  jobs: number;
  notes: ConversionNote[];
}
/** Answer of an import. Nothing is written if there are `errors`, or in a dry run. */
export interface ImportAnswer {
  dryRun: boolean;
  items: ImportItem[];
  errors: ImportError[];
  counts: { create: number; update: number; unchanged: number; conflict: number };
}
