import type { CappedCount, Instant } from './page.js';

/** `query` opens the list that counts the same. */
export interface Tile extends CappedCount {
  query: string;
}
/** Answer of `GET /api/overview?group=`. */
export interface Overview {
  at: Instant;
  tiles: {
    late: Tile & { oldestDueAt: Instant | null };
    failedLastHour: Tile & { hourYesterday: number };
    running: Tile & { capacity: number };
    dueSoon: Tile;
    waiting: Tile & { oldestDueAt: Instant | null };
    /** Failed and to be tried again, of all apps; null for who may not see callbacks, and where one asks about some groups alone. */
    callbacksFailing: Tile | null;
  };
  attention: {
    kind:
      | 'tasks_late'
      | 'jobs_failing'
      | 'jobs_late'
      | 'group_at_quota'
      | 'group_without_worker'
      | 'group_held'
      | 'worker_lost'
      | 'worker_draining'
      | 'job_disabled'
      | 'partition_unheld'
      | 'clock_skew'
      | 'key_expiring'
      | 'endpoint_disabled'
      | 'callbacks_full';
    object: {
      type: 'group' | 'worker' | 'job' | 'partition' | 'key' | 'endpoint' | 'app' | 'tasks' | 'jobs';
      id: string;
      name: string;
    };
    /** Of `tasks` and `jobs`: the list that is meant, and how many it has; null of one object. */
    list: Tile | null;
    since: Instant | null;
    evidence: Record<string, string | number | null>;
  }[];
  workers: { id: string; load: number | null; active: number; slots: number; state: string }[];
  groups: { key: string; running: number; maxRunning: number; pending: CappedCount; held: boolean }[];
  firstSteps: { group: boolean; worker: boolean; job: boolean; task: boolean };
}
/** Answer of `GET /api/overview/charts?range=1h|6h|24h|7d&group=`. Gaps are buckets without any task: they are absent. */
export interface OverviewCharts {
  range: '1h' | '6h' | '24h' | '7d';
  bucketMs: number;
  from: Instant;
  to: Instant;
  buckets: {
    at: Instant;
    succeeded: number;
    failed: number;
    timedOut: number;
    cancelled: number;
    skipped: number;
    /** Milliseconds, from histograms (± 10 %); null without a start or end in the bucket. */
    startDelay: Percentiles | null;
    runTime: Percentiles | null;
    /** Largest sample of the bucket. */
    backlog: number | null;
    /** Most that ran at once, of samples every fifteen seconds. */
    running: number | null;
    oldestAgeMs: number | null;
  }[];
  /** The last bucket is not over yet. */
  incompleteFrom: Instant;
}
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  count: number;
}
/** What ended in a span, per hour of it, and how long it took. */
export interface HourFigures {
  ended: number;
  failed: number;
  startDelayP95: number | null;
  runTimeP95: number | null;
}
/**
 * Answer of `GET /api/overview/comparison?group=`: the last sixty minutes beside the same ones yesterday and the hours of the seven days
 * before. `regressions`: groups that are clearly worse than in those seven days, the worst first; `failures` are shares from 0 to 1, the
 * others milliseconds. Groups with little to compare are left out.
 */
export interface OverviewComparison {
  at: Instant;
  hour: HourFigures;
  yesterday: HourFigures | null;
  usual: HourFigures | null;
  regressions: { group: string; kind: 'run_time' | 'start_delay' | 'failures'; now: number; usual: number; count: number }[];
}
/**
 * What became of a job's fires of one hour. The first seven have a task: `held` ones are PENDING while their group, or all dispatch, is on
 * hold now; `missed` ones came too late for the window. Without a task are `missed` ones that the misfire rule does not make up for, those
 * of a job that was `paused` or `disabled` (it could not be fired) then, `missing` ones, which nothing that is recorded explains, and
 * `unknown` ones: the tasks or the changes of that time are not recorded, or not kept any more.
 */
export interface CalendarHour {
  at: Instant;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  unfinished: number;
  held: number;
  missed: number;
  paused: number;
  disabled: number;
  missing: number;
  unknown: number;
}
/** Answer of `GET /api/calendar?from=&to=&group=` (at most 62 days). */
export interface Calendar {
  /** Until then it tells what was, from then on what will be. */
  now: Instant;
  from: Instant;
  to: Instant;
  jobs: {
    id: string;
    key: string;
    group: string;
    timeZone: string;
    state: 'active' | 'paused' | 'disabled';
    /** It does not fire before it exists and its schedule starts, nor after its schedule ends. */
    begins: Instant;
    ends: Instant | null;
    /** Its fires one by one; or, of one that fires more than `denseFrom` times, how many each hour. */
    fires: Instant[] | null;
    hours: { at: Instant; count: number }[] | null;
    /** Of before `now`: hours in which it fired or should have; null of a job that fires too often to be told. */
    past: CalendarHour[] | null;
  }[];
  /**
   * Instants at which many jobs fire at once, the fullest first: how many jobs, how many of them spread their tasks by jitter, and the
   * first few by key.
   */
  clashes: { at: Instant; jobs: number; jittered: number; first: { id: string; key: string }[] }[];
  /** Where clocks are changed in a zone of these jobs: by how many minutes. */
  clockChanges: { timeZone: string; at: Instant; minutes: number }[];
  denseFrom: number;
  /**
   * What is left out: `jobs` beyond the first `mostJobs`, fires `ahead` beyond `mostFires` computed ones, the `past` of jobs with too many
   * fires in this span.
   */
  cut: ('jobs' | 'ahead' | 'past')[];
  mostJobs: number;
  mostFires: number;
}
/** What a search offers to do at once. */
export type SearchAction = 'tasks.cancel' | 'jobs.run' | 'jobs.pause' | 'workers.drain';
/** Answer of `GET /api/search?q=`. Only what the caller may see. */
export interface SearchAnswer {
  hits: {
    type: 'task' | 'job' | 'worker' | 'group' | 'app' | 'key';
    id: string;
    name: string;
    group: string | null;
    state: string | null;
    /** What the caller may do with it, in every group it belongs to. */
    permissions: SearchAction[];
  }[];
}
