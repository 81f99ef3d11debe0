import type { TerminalState } from '@evenkeel/sdk/contract';
import type { EndedTask } from '../callbacks/callback-outbox.js';
import type { TaskRecord } from './task.js';

/** For the outbox; spelled out, since every end passes here. */
export function endedTask(task: TaskRecord): EndedTask {
  return {
    id: task.id,
    appId: task.appId,
    seq: task.version,
    state: task.state as TerminalState,
    reason: task.reason,
    clientRequestId: task.clientRequestId,
    jobId: task.jobId,
    callbackUrl: task.callbackUrl,
    scheduledAt: task.scheduledAt,
    createdAt: task.createdAt,
    endedAt: task.endedAt ?? task.createdAt,
    attempts: task.workerId === null ? Math.max(0, task.attempt - 1) : task.attempt,
    result: task.result,
    error: task.error,
  };
}
