import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { CallbackOutbox, type EndedTask } from '../callbacks/callback-outbox.js';
import { laneOf, PARENT_LANE, PINNED_LANE, pickOrder } from '../decisions/partitioning.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { stepText } from '../decisions/timeline.js';
import { filterText } from '../decisions/worker-filter.js';
import { placeholders, type Sql } from '../ports.js';
import { LanesService } from './lanes.service.js';
import type { TaskOptions } from './task.js';

/** A task as it is first written, whoever makes it. Instants are epoch milliseconds. */
export interface NewTaskRow {
  id: string;
  groupId: number;
  partition: number;
  appId: number | null;
  clientRequestId: string | null;
  fingerprint: string | null;
  handler: string;
  /** JSON text. */
  params: string;
  priority: number;
  timeoutMs: number;
  options: TaskOptions;
  metadata: Record<string, string> | null;
  callbackUrl: string | null;
  actor: string;
  createdAt: number;
  /** The instant it stands for. */
  scheduledAt: number;
  /** When it may start. */
  dueAt: number;
  state: 'PENDING' | 'SCHEDULED' | 'BLOCKED' | 'SKIPPED';
  reason?: ReasonCode | null;
  /** JSON text; what a SKIPPED task stands for. */
  result?: string | null;
  /** The job that made it and the fire it stands for; `fireAt` is null for a run asked for by hand. */
  job?: { id: string; fireAt: number | null; backfillKey?: string } | null;
  flowId?: string | null;
  /** Stated if the times do not tell it: part of the receipt. */
  firstState?: 'BLOCKED' | 'SKIPPED' | null;
  /** It is to be divided into that many shards; 0 for a broadcast. Excludes `shard`. */
  shards?: number | null;
  /** It is a shard. */
  shard?: { parentId: string; index: number; total: number; pinnedWorkerId: string | null } | null;
}

type Column = readonly [name: string, value: (task: NewTaskRow) => unknown];

/** What every task states. */
const ALWAYS: readonly Column[] = [
  ['id', (task) => task.id],
  ['group_id', (task) => task.groupId],
  ['partition_no', (task) => task.partition],
  ['app_id', (task) => task.appId],
  ['client_request_id', (task) => task.clientRequestId],
  ['request_fp', (task) => task.fingerprint],
  ['handler', (task) => task.handler],
  ['lane', laneOfTask],
  ['state', (task) => STATE_CODE[task.state]],
  ['priority', (task) => task.priority],
  ['pick_order', (task) => pickOrder(task.priority, task.dueAt)],
  ['scheduled_at', (task) => task.scheduledAt],
  ['due_at', (task) => task.dueAt],
  ['wake_at', (task) => (task.state === 'SCHEDULED' ? task.dueAt : null)],
  ['params', (task) => task.params],
  ['timeout_ms', (task) => task.timeoutMs],
  ['timeline', firstStep],
  ['created_at', (task) => task.createdAt],
  ['options_json', (task) => (isEmpty(task.options) ? null : JSON.stringify(task.options))],
  ['metadata_json', (task) => (task.metadata ? JSON.stringify(task.metadata) : null)],
];

/** Left out of a statement in which no task states them: most submits need none, and each costs every row of the batch. */
const SELDOM: readonly Column[] = [
  ['callback_url', (task) => task.callbackUrl],
  ['reason', (task) => task.reason ?? null],
  ['result', (task) => task.result ?? null],
  ['ended_at', (task) => (task.state === 'SKIPPED' ? task.createdAt : null)],
  ['job_id', (task) => task.job?.id ?? null],
  ['fire_at', (task) => task.job?.fireAt ?? null],
  ['shard_index', (task) => task.shard?.index ?? (task.job ? -1 : null)],
  ['backfill_key', (task) => (task.job ? (task.job.backfillKey ?? '') : null)],
  ['flow_id', (task) => task.flowId ?? null],
  ['first_state', (task) => (task.firstState ? STATE_CODE[task.firstState] : null)],
  ['parent_id', (task) => task.shard?.parentId ?? null],
  ['shard_total', (task) => task.shard?.total ?? task.shards ?? null],
  ['pinned_worker_id', (task) => task.shard?.pinnedWorkerId ?? null],
];

/**
 * The largest statement. Beyond a packet (16 MiB by default) the server cuts the connection, and also while it hears nothing for five
 * seconds, which a busy process may need to write out much text.
 */
const STATEMENT_ROWS = 500;
const STATEMENT_CHARACTERS = 1024 * 1024;
/** Of a row's columns that are not as long as the caller likes. */
const OTHER_CHARACTERS = 2048;

/** The one statement that makes tasks. Its unique keys decide that a request and a fire are one task each. */
@Injectable()
export class NewTaskStore {
  constructor(
    private readonly lanes: LanesService,
    private readonly outbox: CallbackOutbox,
  ) {}

  /** Any number of tasks, in as many statements as their size asks for; it takes the caller's transaction to make all of them or none. */
  async insertAll(tx: Sql, tasks: readonly NewTaskRow[]): Promise<void> {
    for (const part of statements(tasks)) await this.insert(tx, part);
  }

  /** At most as many as one statement may hold: all of them or none, also outside a transaction. */
  async insert(tx: Sql, tasks: readonly NewTaskRow[]): Promise<void> {
    if (tasks.length === 0) return;
    await this.lanes.ensure(tx, tasks);
    const columns = [...ALWAYS, ...SELDOM.filter(([, value]) => tasks.some((task) => value(task) !== null))];
    const row = `(${placeholders(columns.length)}, 1, 1, 0, 0)`;
    const names = columns.map(([name]) => name).join(', ');
    const values: unknown[] = [];
    for (const task of tasks) for (const [, value] of columns) values.push(value(task));
    await tx.run(
      `INSERT INTO tasks (${names}, version, attempt, retries, crashes) VALUES ${tasks.map(() => row).join(', ')}`,
      values,
    );
    const skipped = tasks.filter(({ state }) => state === 'SKIPPED');
    if (skipped.length > 0) await this.outbox.record(tx, skipped.map(skippedTask), skipped[0]?.createdAt ?? 0);
  }
}

/** Parts that are each small enough for one statement. */
function* statements(tasks: readonly NewTaskRow[]): Generator<readonly NewTaskRow[]> {
  for (let at = 0; at < tasks.length; ) {
    const count = fittingOneStatement(tasks.slice(at, at + STATEMENT_ROWS));
    yield tasks.slice(at, at + count);
    at += count;
  }
}

/** How many of the first of these one statement may hold: one at least, if there is one. */
export function fittingOneStatement(tasks: Iterable<Pick<NewTaskRow, 'params' | 'metadata'>>): number {
  let count = 0;
  let characters = 0;
  for (const { params, metadata } of tasks) {
    characters += params.length + (metadata ? JSON.stringify(metadata).length : 0) + OTHER_CHARACTERS;
    if (count === STATEMENT_ROWS || (count > 0 && characters > STATEMENT_CHARACTERS)) break;
    count += 1;
  }
  return count;
}

/** It has ended before it began; subscribers are told of that like of any end. */
function skippedTask(task: NewTaskRow): EndedTask {
  const { id, appId, callbackUrl, clientRequestId, reason, scheduledAt, createdAt, result } = task;
  const names = { id, appId, callbackUrl, clientRequestId, jobId: task.job?.id ?? null, seq: 1, state: 'SKIPPED' as const };
  const ends = { scheduledAt, createdAt, endedAt: createdAt, attempts: 0, result: result ?? null, error: null };
  return { ...names, ...ends, reason: reason ?? null };
}

function laneOfTask({ shards, shard, handler, options }: NewTaskRow): number {
  if (shards != null) return PARENT_LANE;
  return shard?.pinnedWorkerId ? PINNED_LANE : laneOf(handler, filterText(options));
}

function firstStep({ state, createdAt, actor, reason }: NewTaskRow): string {
  return stepText({ seq: 1, from: null, to: state, at: createdAt, actor, ...(reason ? { reason } : {}) });
}

function isEmpty(options: object): boolean {
  for (const _ in options) return false;
  return true;
}
