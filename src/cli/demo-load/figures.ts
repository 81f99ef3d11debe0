import type { TaskView } from '@evenkeel/sdk/client';
import { columns } from '../output.js';
import type { CallCounter } from './call-counter.js';

/** What the design this product started from was made for. */
const ORIGINAL_TASKS_PER_MINUTE = 2500;

export interface Figures {
  ok: boolean;
  tasks: number;
  succeeded: number;
  /** Numbers that were called exactly once, by their own task. */
  calledOnce: number;
  lost: number;
  doubled: number;
  failed: number;
  retries: number;
  seconds: number;
  tasksPerMinute: number;
  originalTasksPerMinute: number;
  /** From creation to start, by the tasks' own times. Absent if none started. */
  startDelayMs: { p50: number; p95: number; p99: number } | null;
}

export function figuresOf(tasks: number, ids: string[], ended: TaskView[], counter: CallCounter): Figures {
  const numbers = ids.map((id, number) => ({ id, number, count: counter.countOf(number) }));
  const succeeded = ended.filter(({ status }) => status === 'SUCCEEDED').length;
  const calledOnce = numbers.filter(({ id, number, count }) => count === 1 && counter.cameFrom(number, id)).length;
  const seconds = (Math.max(...ended.map(lastInstant)) - Math.min(...ended.map(({ createdAt }) => Date.parse(createdAt)))) / 1000;
  return {
    ok: succeeded === tasks && calledOnce === tasks,
    tasks,
    succeeded,
    calledOnce,
    lost: numbers.filter(({ count }) => count === 0).length,
    doubled: numbers.filter(({ count }) => count > 1).length,
    failed: tasks - succeeded,
    retries: ended.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
    seconds,
    tasksPerMinute: Math.round((succeeded / Math.max(seconds, 0.001)) * 60),
    originalTasksPerMinute: ORIGINAL_TASKS_PER_MINUTE,
    startDelayMs: percentiles(ended.flatMap(startDelay)),
  };
}

export function verdictLines(figures: Figures): string[] {
  const { tasks, seconds, startDelayMs: delay } = figures;
  const times = (figures.tasksPerMinute / figures.originalTasksPerMinute).toFixed(1);
  const rows = [
    ['tasks', `${tasks} in ${seconds.toFixed(2)} s, ${figures.succeeded} SUCCEEDED`],
    ['calls', `${figures.calledOnce} exactly once, ${figures.lost} lost, ${figures.doubled} doubled`],
    ['speed', `${figures.tasksPerMinute} tasks/min (${times} × the ${figures.originalTasksPerMinute} of the original design)`],
    [
      'create → start',
      delay ? `p50 ${delay.p50} ms, p95 ${delay.p95} ms, p99 ${delay.p99} ms (all submitted at once)` : 'none started',
    ],
    ['retries', `${figures.retries}`],
  ];
  return [...columns(rows), figures.ok ? 'OK: nothing lost, nothing doubled.' : 'NOT OK: see above.'];
}

function lastInstant({ finishedAt, createdAt }: TaskView): number {
  return Date.parse(finishedAt ?? createdAt);
}

/** The first start counts: a retry is late for another reason. */
function startDelay({ timeline, startedAt, createdAt }: TaskView): number[] {
  const running = timeline.find(({ to }) => to === 'RUNNING')?.at ?? startedAt;
  return running ? [Date.parse(running) - Date.parse(createdAt)] : [];
}

function percentiles(values: number[]): Figures['startDelayMs'] {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] as number;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
