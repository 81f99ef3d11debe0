import type {
  ConfigurationFile,
  ExportedGroup,
  ExportedJob,
  FileFormat,
  ImportError,
  ImportItem,
  OnConflict,
} from '../../decisions/configuration-file.js';
import type { ConvertedFrom } from '../../decisions/convert-jobs.js';
import type { ConversionNote } from '../../decisions/foreign-jobs.js';
import type { MappableNames, NameMap } from '../../decisions/map-configuration.js';

/**
 * Answer of `GET /api/export?group=&job=&format=`, and what an import takes, as JSON or as YAML. `job`: ids; the file then holds
 * these and their groups.
 */
export type {
  ConfigurationFile,
  ConversionNote,
  ConvertedFrom,
  ExportedGroup,
  ExportedJob,
  FileFormat,
  ImportError,
  ImportItem,
  MappableNames,
  NameMap,
  OnConflict,
};
/** Body of `POST /api/import`. `onConflict` says what becomes of what is there already and differs. */
export interface ImportConfiguration {
  /** The text of the file, JSON or YAML. */
  fileText: string;
  dryRun?: boolean;
  onConflict?: OnConflict;
  /** Under which other names groups and owners of the file are taken in. */
  names?: NameMap;
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
  /** Of the file, those of single objects that are in order: what `names` may map. */
  names: MappableNames;
}
