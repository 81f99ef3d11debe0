import { isTerminal, type ReasonCode, type ShardProgress, type TaskState } from '@evenkeel/sdk/contract';

export const CHECKS = [
  'due',
  'job_enabled',
  'maintenance',
  'group_hold',
  'upstreams',
  'turn',
  'quota',
  'workers',
  'dispatch_rate',
  'dispatch',
  'shards',
  'scheduler',
  'attempts',
  'outcome',
] as const;
export type CheckName = (typeof CHECKS)[number];
type Evidence = Record<string, string | number | boolean | null | string[]>;
export interface TaskCheck {
  check: CheckName;
  /** `passed` does not hold it up; `blocks` does; `not_applicable` is no question in this state. */
  result: 'passed' | 'blocks' | 'unknown' | 'not_applicable';
  reason: ReasonCode | null;
  evidence: Evidence;
}
export interface TaskVerdict {
  kind: 'resolves_itself' | 'needs_you' | 'nothing_to_do';
  check: CheckName | null;
  reason: ReasonCode | null;
}

/** What is known about a task at the moment somebody asks. Instants are epoch milliseconds. */
export interface TaskFacts {
  now: number;
  state: TaskState;
  reason: ReasonCode | null;
  dueAt: number;
  cancelAsked: boolean;
  /** Its attempt was to have stopped by now, for its time limit or a cancel. */
  stopOverdue: boolean;
  /** The attempt that runs or ran last; null before the first one has begun. */
  attempt: number | null;
  retries: number;
  crashes: number;
  workerId: string | null;
  error: string | null;
  job: { key: string | null; state: string | null; pauseReason: string | null; overlap: string | null; going: number } | null;
  /** A hold on the dispatch of all groups that is in force. */
  maintenance: { reason: string; until: number | null; by: string } | null;
  hold: { reason: string | null; until: number | null } | null;
  /** `ahead`: pending tasks of the same handler that start before it. */
  quota: { running: number; maxRunning: number; ahead: number };
  funnel: { online: number; group: number; handler: number; filter: number; accepting: number; free: number };
  /** Of those that fit: who is kept from new orders. */
  cordoned: string[];
  /** What a worker must have beside the handler; `worker`: only this one, for which a shard was made. */
  filter: { tags: string[]; zone: string | null; worker: string | null };
  /** What it waits or waited for; null for a task that waits for nothing. `waiting`: it does now. */
  upstreams: { waiting: boolean; outstanding: number; failed: number; waitingFor: string[] } | null;
  /** Starts per second of its group; null for no limit. */
  dispatchRate: number | null;
  /** Of a task with shards, which no worker ever gets. */
  shards: ShardProgress | null;
  refusals: number;
  lastRefusal: ReasonCode | null;
  /** Null: nobody holds the partition. */
  partition: { no: number; holder: string | null; leftMs: number };
}

/** For how long a partition may be without a holder before somebody should look. */
const HAND_OVER_MS = 20_000;

/** Why the task is where it is: every question the centre asks before it starts one, in its order, and what follows. Pure. */
export function explainTask(facts: TaskFacts): { checks: TaskCheck[]; verdict: TaskVerdict } {
  const checks = CHECKS.map((check) => ({ check, ...QUESTIONS[check](facts) }));
  const first = checks.find(({ result }) => result === 'blocks');
  return { checks, verdict: verdictOf(facts, first) };
}

type Answer = Omit<TaskCheck, 'check'>;
const answer = (result: TaskCheck['result'], reason: ReasonCode | null, evidence: Evidence = {}): Answer => ({
  result,
  reason: result === 'blocks' ? reason : null,
  evidence,
});
const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
const started = ({ state }: TaskFacts): boolean => state === 'DISPATCHED' || state === 'RUNNING' || isTerminal(state);
/** Questions that are asked of what is due and whose turn it is. */
const queued = ({ state }: TaskFacts): boolean => state === 'PENDING';

const QUESTIONS: Record<CheckName, (facts: TaskFacts) => Answer> = {
  due: (facts) => {
    const evidence = { dueAt: iso(facts.dueAt), inMs: Math.max(0, facts.dueAt - facts.now) };
    if (facts.state === 'RETRYING') return answer('blocks', 'retry_backoff', evidence);
    return answer(facts.state === 'SCHEDULED' ? 'blocks' : 'passed', 'not_due', evidence);
  },
  job_enabled: ({ job }) =>
    // A job that is paused fires no more; what it has fired goes on.
    job
      ? answer('passed', null, { job: job.key, state: job.state, pauseReason: job.pauseReason })
      : answer('not_applicable', null),
  maintenance: (facts) => {
    if (!facts.maintenance || started(facts)) return answer(started(facts) ? 'not_applicable' : 'passed', null);
    const { reason, until, by } = facts.maintenance;
    return answer(queued(facts) ? 'blocks' : 'passed', 'maintenance_hold', { reason, until: iso(until), by });
  },
  group_hold: (facts) => {
    if (!facts.hold || started(facts)) return answer(started(facts) ? 'not_applicable' : 'passed', null);
    const evidence = { reason: facts.hold.reason, until: iso(facts.hold.until) };
    return answer(queued(facts) ? 'blocks' : 'passed', 'group_hold', evidence);
  },
  upstreams: ({ state, upstreams }) => {
    if (!upstreams) return answer('not_applicable', null);
    const { waiting, ...evidence } = upstreams;
    return answer(state === 'BLOCKED' && waiting ? 'blocks' : 'passed', 'waiting_for_upstream', evidence);
  },
  turn: ({ state, job, upstreams }) => {
    if (!job) return answer('not_applicable', null);
    const evidence = { job: job.key, going: job.going, overlap: job.overlap };
    return answer(state === 'BLOCKED' && !upstreams?.waiting ? 'blocks' : 'passed', 'waiting_for_turn', evidence);
  },
  quota: (facts) => {
    const { running, maxRunning, ahead } = facts.quota;
    if (started(facts) || facts.shards) return answer('not_applicable', null, { running, maxRunning });
    return answer(queued(facts) && running >= maxRunning ? 'blocks' : 'passed', 'group_quota', { running, maxRunning, ahead });
  },
  workers: (facts) => {
    const { funnel } = facts;
    const evidence = { ...funnel, ...facts.filter, cordoned: facts.cordoned };
    if (started(facts)) return answer('not_applicable', null, evidence);
    if (funnel.filter === 0) return answer(queued(facts) ? 'blocks' : 'unknown', 'no_worker', evidence);
    const busy = queued(facts) && !facts.shards && funnel.free === 0;
    return answer(busy ? 'blocks' : 'passed', 'workers_busy', evidence);
  },
  dispatch_rate: (facts) => {
    const evidence = { perSecond: facts.dispatchRate };
    if (facts.dispatchRate === null || started(facts) || facts.shards) return answer('not_applicable', null, evidence);
    return answer(queued(facts) ? 'blocks' : 'passed', 'dispatch_rate', evidence);
  },
  dispatch: ({ state, refusals, lastRefusal, workerId, cancelAsked, stopOverdue }) => {
    const evidence = { worker: workerId, refusals, lastRefusal, cancelAsked, stopOverdue };
    if (stopOverdue && !isTerminal(state)) return answer('blocks', 'waiting_for_abort', evidence);
    if (cancelAsked && !isTerminal(state)) return answer('blocks', 'cancel_requested', evidence);
    return answer('passed', null, evidence);
  },
  shards: ({ state, shards }) => {
    if (!shards) return answer('not_applicable', null);
    return answer(state === 'RUNNING' ? 'blocks' : 'passed', 'waiting_for_shards', { ...shards });
  },
  scheduler: (facts) => {
    const { no, holder, leftMs } = facts.partition;
    const evidence = { partition: no, holder, leftMs };
    if (isTerminal(facts.state)) return answer('not_applicable', null, evidence);
    return answer(holder === null || leftMs < 0 ? 'blocks' : 'passed', null, evidence);
  },
  attempts: ({ attempt, retries, crashes }) =>
    attempt === null ? answer('not_applicable', null) : answer('passed', null, { attempt, retries, crashes }),
  outcome: ({ state, reason, error }) => {
    if (!isTerminal(state)) return answer('not_applicable', null);
    return answer(state === 'SUCCEEDED' ? 'passed' : 'blocks', reason, { state, reason, error });
  },
};

function verdictOf(facts: TaskFacts, first: TaskCheck | undefined): TaskVerdict {
  if (!first) {
    // Nothing is in its way: it starts within a moment, or it runs, or it went well.
    const moving = facts.state === 'PENDING' || facts.state === 'DISPATCHED';
    return {
      kind: moving ? 'resolves_itself' : 'nothing_to_do',
      check: null,
      reason: facts.state === 'PENDING' ? 'dispatching' : null,
    };
  }
  return {
    kind: needsSomebody(facts, first) ? 'needs_you' : quietEnd(facts) ? 'nothing_to_do' : 'resolves_itself',
    check: first.check,
    reason: first.reason,
  };
}

/** It ended as somebody or a rule wanted it to. */
const quietEnd = ({ state }: TaskFacts): boolean => isTerminal(state);

function needsSomebody(facts: TaskFacts, { check }: TaskCheck): boolean {
  switch (check) {
    case 'maintenance':
      return facts.maintenance?.until === null;
    case 'group_hold':
      return facts.hold?.until === null;
    case 'quota':
      return facts.quota.maxRunning === 0;
    case 'workers':
      return facts.funnel.filter === 0 || facts.funnel.accepting === 0;
    case 'scheduler':
      return facts.partition.leftMs < -HAND_OVER_MS;
    case 'outcome':
      return (
        facts.state === 'FAILED' ||
        facts.state === 'TIMED_OUT' ||
        facts.reason === 'misfire_window' ||
        facts.reason === 'upstream_failed'
      );
    default:
      return false;
  }
}
