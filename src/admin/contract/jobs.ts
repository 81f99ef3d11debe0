import type {
  BackfillAnswer,
  BackfillView,
  JobDefinitionInput,
  JobSchedule,
  JobView,
  JobWarning,
  TaskState,
} from '@evenkeel/sdk/contract';
import type { JobDefinitionView } from '../../decisions/stated-job.js';
import type { Instant, Page } from './page.js';

/** Policies are those its next task would get; `definition` of a detail says what the job itself states. */
export interface JobSummary extends Omit<JobView, 'params' | 'clientRequestId' | 'warnings'> {
  /** The partner it belongs to; null for the house's own. */
  app: { id: string; name: string } | null;
  /** Its latest tasks, newest first, at most 24. */
  recent: { id: string; state: TaskState; at: Instant; runMs: number | null }[];
  /** Some live worker of its group has the handler. */
  handlerServed: boolean;
  /** Fires that could not be made, in a row. */
  fireFailures: number;
  /** Why its definition cannot be read. */
  corrupt: string | null;
}
export type ConsoleJobList = Page<JobSummary>;
export interface JobDetail extends JobSummary {
  /** JSON exactly as it is stored: parse it only with care for large numbers. */
  paramsText: string;
  /** As it is stated, without what its group or the system decides: what an edit starts from. */
  definition: JobDefinitionView;
  /** Keys of the jobs it waits for, and of those that wait for it. */
  upstreamJobs: LinkedJob[];
  downstreamJobs: LinkedJob[];
  /** What its dependencies cannot bring about. */
  warnings: JobWarning[];
  /** Paused and disabled jobs above it because of which it does not run as its dependencies say, nearest first, at most 20. */
  stoppedUpstreams: LinkedJob[];
  permissions: string[];
}
/** `group` is null of one in a group the caller may not see; its key is then not told either. */
export interface LinkedJob {
  id: string;
  key: string | null;
  group: string | null;
}
/** `paramsText` is the JSON of the params, digit for digit. */
export type ConsoleJobInput = Omit<JobDefinitionInput, 'params'> & { paramsText?: string };
/** Body of `POST /api/jobs`. */
export type CreateConsoleJob = ConsoleJobInput & { key: string; group: string; paused?: boolean; reason?: string };
/** Body of `PUT /api/jobs/{id}`: the whole definition. A stale version gets 409 `version_conflict`: `JobConflict` as members. */
export type ChangeConsoleJob = ConsoleJobInput & { version: number; reason?: string };
export interface JobConflict {
  statedVersion: number;
  currentVersion: number;
  /** The definition the edit was made from, if it is still kept; and the one in force. */
  base: JobDefinitionView | null;
  current: JobDefinitionView;
}
/** Body of `POST /api/jobs/{id}/copy`. The copy is the house's own and paused. */
export interface CopyJob {
  key: string;
  group?: string;
}
/** Body of `POST /api/jobs/{id}/trigger`; answers `{ taskId }`. */
export interface TriggerConsoleJob {
  paramsText?: string;
  force?: boolean;
  reason?: string;
}
export type { JobDefinitionView };
export interface JobVersionView {
  version: number;
  changedBy: string;
  changedAt: Instant;
  definition: JobDefinitionView;
}
/** One of its tasks. */
export interface JobRun {
  id: string;
  state: TaskState;
  at: Instant;
  startedAt: Instant | null;
  /** Actual start after the time it was due; null of one that never started. */
  startDelayMs: number | null;
  /** Null until it has ended. */
  runMs: number | null;
}
/** Tasks made in [from, to), a day of the job's zone, by what became of them; of a day to come, how often it fires. */
export interface JobDay {
  /** `YYYY-MM-DD`. */
  date: string;
  from: Instant;
  to: Instant;
  succeeded: number;
  /** And timed out. */
  failed: number;
  cancelled: number;
  skipped: number;
  unfinished: number;
  ahead: number;
}
/** Answer of `GET /api/jobs/{id}/history`: ninety days back and thirty ahead, oldest first, as far as tasks are kept. */
export interface JobHistory {
  at: Instant;
  timeZone: string;
  lastSucceeded: JobRun | null;
  lastFailed: JobRun | null;
  /** On a worker now, newest first, at most 20. */
  running: JobRun[];
  /** Newest first, at most 100. */
  recent: JobRun[];
  days: JobDay[];
  /** Made before then, tasks are kept and not counted: there are too many. Null: all that are kept are counted. */
  countedFrom: Instant | null;
  /** Fires from then on are not told: there are too many. */
  foretoldUntil: Instant | null;
}
/** Newest first. A diff is the console's to draw. */
export interface JobVersions {
  items: JobVersionView[];
}
/** Body of `POST /api/jobs/{id}/versions/{earlier}/restore`. */
export interface RestoreJob {
  version: number;
  reason?: string;
}
/** Body of `POST /api/jobs/preview`: a definition that is not saved. */
export interface PreviewSchedule {
  schedule: JobSchedule;
  timeZone?: string;
  /** 1 to 100; 10 if absent. */
  count?: number;
  /** Id of the job that is edited: it does not clash with itself. */
  job?: string;
}
/** By the function that fires jobs. Also the answer of `GET /api/jobs/{id}/next-fires`. */
export interface SchedulePreview {
  timeZone: string;
  /** As it would be stored: names instead of weekday numbers, defaults stated. */
  schedule: JobSchedule;
  fires: { at: Instant; local: string; weekday: string; offset: string }[];
  notes: { code: string; message: string }[];
  badges: ('dst_shifted' | 'dst_repeated' | 'every_second' | 'sparse' | 'ends')[];
  /** Other jobs that fire in the same second as the first fire. */
  clashes: number;
}
/** Body of `POST /api/jobs/{id}/backfill`: fires from `from` on, before `until`, which is not later than now. Answers `BackfillAnswer`. */
export interface StartBackfill {
  from: Instant;
  until: Instant;
  /** Tells the fires and makes nothing. */
  dryRun?: boolean;
  /** 1, the lowest, if absent. */
  priority?: number;
  /** Tasks of it that are unfinished at once. */
  maxParallel?: number;
  reason?: string;
}
export type { BackfillAnswer };
/** Item of `GET /api/jobs/{id}/backfills`, newest first, at most 100; answer of `DELETE …/{backfill}`, which makes no more tasks of it. */
export interface ConsoleBackfill extends BackfillView {
  requestedBy: string;
}
export interface ConsoleBackfills {
  items: ConsoleBackfill[];
}
/**
 * Answer of `GET /api/graph?group=&focus=&depth=`: jobs and which waits for which. `focus` is the id of a job: it and what is within `depth`
 * (1 to 20; 3) edges of it. Else the jobs of the groups that have edges. At most 500 nodes; `truncated` says that there are more.
 */
export interface JobGraph {
  nodes: {
    id: string;
    key: string;
    group: string;
    kind: JobSchedule['kind'];
    state: 'active' | 'paused' | 'disabled';
    nextFireAt: Instant | null;
    last: { taskId: string; state: TaskState; at: Instant } | null;
  }[];
  /** `from` must succeed before `to` starts. */
  edges: { from: string; to: string }[];
  truncated: boolean;
}
