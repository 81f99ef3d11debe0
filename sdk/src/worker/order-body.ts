import {
  type CancelOrder,
  type CancelReason,
  type CancelRequest,
  type Json,
  LIMITS,
  type RunRequest,
  type TaskOrder,
} from '../contract/index.js';
import { FieldRefused, id, integer, list, number, record, text } from './field-check.js';

const CANCEL_REASONS: ReadonlySet<unknown> = new Set<CancelReason>([
  'cancelled',
  'timed_out',
  'replaced',
  'lease_lost',
  'draining',
]);

/** Strict types, unknown fields ignored. Throws FieldRefused. */
export function runRequest(body: unknown): RunRequest {
  const given = record(body, '');
  return {
    partition: integer(given.partition, '/partition', 0),
    epoch: integer(given.epoch, '/epoch', 0),
    workerId: text(given.workerId, '/workerId', LIMITS.workerIdLength),
    incarnation: text(given.incarnation, '/incarnation', 64),
    tasks: list(given.tasks, '/tasks').map(taskOrder),
  };
}

export function cancelRequest(body: unknown): CancelRequest {
  const given = record(body, '');
  return { tasks: list(given.tasks, '/tasks').map((each, i) => cancelOrder(each, `/tasks/${i}`)) };
}

export function cancelOrder(value: unknown, pointer: string): CancelOrder {
  const given = record(value, pointer);
  if (!CANCEL_REASONS.has(given.reason)) throw new FieldRefused(`${pointer}/reason`, 'must be a known reason');
  return {
    taskId: id(given.taskId, `${pointer}/taskId`),
    lease: integer(given.lease, `${pointer}/lease`, 0),
    reason: given.reason as CancelReason,
  };
}

function taskOrder(value: unknown, index: number): TaskOrder {
  const at = `/tasks/${index}`;
  const given = record(value, at);
  if (given.params === undefined) throw new FieldRefused(`${at}/params`, 'is missing');
  const order: TaskOrder = {
    taskId: id(given.taskId, `${at}/taskId`),
    lease: integer(given.lease, `${at}/lease`, 0),
    attempt: integer(given.attempt, `${at}/attempt`, 1),
    handler: text(given.handler, `${at}/handler`, LIMITS.handlerLength),
    params: given.params as Json,
    priority: integer(given.priority, `${at}/priority`, 1, 10),
    timeoutMs: integer(given.timeoutMs, `${at}/timeoutMs`, 0),
    scheduledAt: integer(given.scheduledAt, `${at}/scheduledAt`, 0),
    idempotencyKey: text(given.idempotencyKey, `${at}/idempotencyKey`, 128),
    traceparent: text(given.traceparent, `${at}/traceparent`, 128),
  };
  if (given.group !== undefined && given.group !== null) order.group = text(given.group, `${at}/group`, LIMITS.groupKeyLength);
  if (given.checkpoint !== undefined) order.checkpoint = given.checkpoint as Json;
  if (given.shard !== undefined && given.shard !== null) {
    const shard = record(given.shard, `${at}/shard`);
    const total = integer(shard.total, `${at}/shard/total`, 1);
    order.shard = { total, index: integer(shard.index, `${at}/shard/index`, 0, total - 1) };
    if (shard.share !== undefined && shard.share !== null) order.shard.share = share(shard.share, `${at}/shard/share`);
  }
  return order;
}

function share(value: unknown, pointer: string): { from: number; to: number } {
  const given = record(value, pointer);
  const from = number(given.from, `${pointer}/from`, 0, 1);
  return { from, to: number(given.to, `${pointer}/to`, from, 1) };
}
