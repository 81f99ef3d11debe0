import type {
  ConfigurationFile,
  ExportedGroup,
  ExportedJob,
  ImportError,
  ImportItem,
} from '../../decisions/configuration-file.js';

/** Answer of `GET /api/export?group=&job=`, and what an import takes. `job`: ids; the file then holds these and their groups. */
export type { ConfigurationFile, ExportedGroup, ExportedJob, ImportError, ImportItem };
/** Body of `POST /api/import`. `onConflict` says what becomes of what is there already and differs. */
export interface ImportConfiguration {
  /** The text of the file. */
  fileText: string;
  dryRun?: boolean;
  onConflict?: 'skip' | 'overwrite';
  reason?: string;
}
/** Answer of it. Nothing is written if there are `errors`, or in a dry run. */
export interface ImportAnswer {
  dryRun: boolean;
  items: ImportItem[];
  errors: ImportError[];
  counts: { create: number; update: number; unchanged: number; conflict: number };
}
