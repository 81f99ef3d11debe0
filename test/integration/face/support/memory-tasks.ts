import { isTerminal, type ReasonCode, type ShardProgress } from '@evenkeel/sdk/contract';
import { stepText } from '../../../../src/decisions/timeline.js';
import type { Group } from '../../../../src/jobs/group.js';
import { HandlerDirectory } from '../../../../src/openapi/handler-directory.js';
import type { Clock } from '../../../../src/platform/clock.js';
import { newId } from '../../../../src/platform/ids.js';
import type { AttemptRecord, CancelOutcome, NewTask, SubmitOutcome, TaskFilter, TaskRecord } from '../../../../src/tasks/task.js';

/** The record of tasks in memory, with the same promises about clientRequestIds. */
export class MemoryTasks {
  readonly stored: (TaskRecord & { fingerprint: string | null })[] = [];
  failure: unknown = null;
  /** What every submission comes to, if set. */
  outcome: SubmitOutcome | null = null;
  pendingCallbacks = 0;
  /** Why a callback may not be sent to any URL now. */
  callbackRefusal: 'host_not_verified' | null = null;
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly clock: Clock) {}

  async submit(tasks: NewTask[]): Promise<SubmitOutcome[]> {
    if (this.failure) throw this.failure;
    if (this.outcome) return tasks.map(() => this.outcome as SubmitOutcome);
    return tasks.map((task) => this.insert(task));
  }
  async find(appId: number, id: string): Promise<TaskRecord | null> {
    return this.stored.find((task) => task.id === id && task.appId === appId) ?? null;
  }
  async attemptsOf(): Promise<AttemptRecord[]> {
    return [];
  }
  async list(filter: TaskFilter): Promise<TaskRecord[]> {
    const fits = (task: TaskRecord) =>
      task.appId === filter.appId &&
      (!filter.states || filter.states.includes(task.state)) &&
      (!filter.clientRequestId || task.clientRequestId === filter.clientRequestId) &&
      (!filter.handler || task.handler === filter.handler) &&
      (!filter.groupIds || filter.groupIds.includes(task.groupId)) &&
      (!filter.before || task.id < filter.before);
    return this.stored
      .filter(fits)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, filter.limit);
  }
  async knownRequestIds(appId: number, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
    const own = this.stored.filter((task) => task.appId === appId).map((task) => task.clientRequestId as string);
    return new Set(own.filter((id) => requestIds.includes(id)));
  }
  async shardProgressOf(): Promise<Map<string, ShardProgress>> {
    return new Map();
  }
  waitForEnd(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', stop);
      this.ends.set(id, stop);
    });
  }
  onEnded(listener: (tasks: TaskRecord[]) => void): void {
    this.endListeners.push(listener);
  }
  private readonly endListeners: ((tasks: TaskRecord[]) => void)[] = [];
  /** As the record would, of a run that took so long. */
  tellEnd(handler: string, tookMs: number): void {
    const ended = { state: 'SUCCEEDED', groupId: 1, handler, startedAt: 0, endedAt: tookMs } as TaskRecord;
    for (const listener of this.endListeners) listener([ended]);
  }
  get waiters(): number {
    return this.ends.size;
  }
  waiterOf(id: string): (() => void) | undefined {
    return this.ends.get(id);
  }
  async requestCancel(appId: number, id: string): Promise<CancelOutcome> {
    const task = await this.find(appId, id);
    if (!task) return { outcome: 'not_found' };
    if (isTerminal(task.state)) return { outcome: 'already_terminal', state: task.state };
    if (task.state === 'RUNNING') return { outcome: 'requested', task: Object.assign(task, { cancelAskedAt: this.clock.now() }) };
    return { outcome: 'cancelled', task: this.end(id, 'CANCELLED') };
  }
  unfinishedOf(appId: number): number {
    return this.stored.filter((task) => task.appId === appId && !isTerminal(task.state)).length;
  }
  waitingReason(task: TaskRecord): ReasonCode | null {
    return task.state === 'PENDING' ? 'no_worker' : null;
  }
  async waitingReasons(tasks: TaskRecord[]): Promise<(ReasonCode | null)[]> {
    return tasks.map((task) => this.waitingReason(task));
  }
  end(id: string, state: TaskRecord['state'], result: string | null = null): TaskRecord {
    const task = this.stored.find((candidate) => candidate.id === id) as TaskRecord;
    Object.assign(task, { state, result, endedAt: this.clock.now() });
    this.ends.get(id)?.();
    return task;
  }

  private insert(task: NewTask): SubmitOutcome {
    const same = this.stored.find(
      (other) => task.clientRequestId && other.appId === task.appId && other.clientRequestId === task.clientRequestId,
    );
    if (same)
      return same.fingerprint === task.fingerprint
        ? { outcome: 'replayed', task: same }
        : { outcome: 'reused', existingTaskId: same.id };
    const now = this.clock.now();
    const scheduledAt = task.runAt ?? now + task.delayMs;
    const state = scheduledAt > now ? 'SCHEDULED' : 'PENDING';
    const record = {
      ...task,
      id: newId('task'),
      groupId: task.group.id,
      partition: task.group.partition,
      metadata: task.metadata ?? {},
      ...{ scheduledAt, dueAt: scheduledAt, createdAt: now, firstState: state, state, version: 1 },
      ...{ attempt: 0, retries: 0, crashes: 0, lease: null, workerId: null, workerIncarnation: null, claimedAt: null },
      ...{
        startedAt: null,
        endedAt: null,
        cancelAskedAt: null,
        progress: null,
        checkpointAt: null,
        reason: null,
        result: null,
        error: null,
        jobId: null,
        flowId: null,
        awaited: false,
        fireAt: null,
        parentId: null,
        shardIndex: null,
        shardTotal: null,
        pinnedWorkerId: null,
      },
      timeline: stepText({ seq: 1, from: null, to: state, at: now, actor: task.actor }),
    } as TaskRecord & { fingerprint: string | null };
    this.stored.push(record);
    return { outcome: 'accepted', task: record };
  }
}

const group = (id: number, key: string): Group => ({
  ...{
    id,
    key,
    partition: 0,
    maxRunning: 200,
    maxPending: 1_000_000,
    held: false,
    holdReason: null,
    heldUntil: null,
    archivedAt: null,
    routing: null,
    maxDispatchRate: null,
    policies: {},
    version: 1,
  },
});

export class MemoryGroups {
  readonly all = [group(1, 'default'), group(2, 'reports'), group(3, 'foreign')];
  full = false;
  byKey(key: string): Group | undefined {
    return this.all.find((candidate) => candidate.key === key);
  }
  byId(id: number): Group | undefined {
    return this.all.find((candidate) => candidate.id === id);
  }
  backlogFull(): boolean {
    return this.full;
  }
}

export class NoHandlers extends HandlerDirectory {
  /** The only one some live worker has. */
  alive = 'alive';
  hasLiveWorker(_group: string, handler: string): boolean {
    return handler === this.alive;
  }
}
