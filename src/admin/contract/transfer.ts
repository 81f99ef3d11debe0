import type { RetryPolicy, Routing } from '@evenkeel/sdk/contract';
import type { GroupPoliciesView } from './groups.js';
import type { JobDefinitionView } from './jobs.js';

/** Answer of `GET /api/export?group=` (a file of two spaces' indentation, groups and jobs in the order of their keys), body of an import. */
export interface ConfigurationFile {
  schema: 'evenkeel.configuration';
  schemaVersion: 1;
  groups: ExportedGroup[];
  jobs: ExportedJob[];
}
export interface ExportedGroup {
  key: string;
  maxRunning: number;
  maxPending: number;
  maxDispatchRate: number | null;
  routing: Routing | null;
  policies: GroupPoliciesView & { retry?: RetryPolicy };
}
/** The jobs of the house; those of partners stay with them. `upstreams` are keys of the same group, or `group/key`. */
export interface ExportedJob extends JobDefinitionView {
  group: string;
  key: string;
}
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
export interface ImportItem {
  type: 'group' | 'job';
  group: string;
  key: string;
  /** `conflict`: it is there, differs, and `onConflict` is `skip`: it stays as it is. */
  action: 'create' | 'update' | 'unchanged' | 'conflict';
  /** Where file and installation differ; JSON texts, null for absent. */
  diff: { field: string; before: string | null; after: string | null }[];
}
/** `line` counts from 1 in the file; `pointer` into it. */
export interface ImportError {
  pointer: string;
  line: number | null;
  code: string;
  message: string;
}
