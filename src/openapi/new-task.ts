import type { SubmitTask } from '@evenkeel/sdk/contract';
import { requestFingerprint } from '../decisions/fingerprint.js';
import { instantMs } from '../decisions/rfc3339.js';
import type { Group } from '../jobs/group.js';
import type { PartnerCaller } from '../platform/audience.js';
import type { NewTask, TaskOptions } from '../tasks/task.js';

export const TASK_DEFAULTS = { priority: 5, timeoutMs: 60_000 } as const;

/** A checked submission as the task to insert. Defaults come after the fingerprint, which is of what the client stated. */
export function newTask(stated: SubmitTask, params: string, group: Group, caller: PartnerCaller): NewTask {
  const clientRequestId = stated.clientRequestId ?? null;
  return {
    appId: caller.appId,
    clientRequestId,
    fingerprint:
      clientRequestId === null ? null : requestFingerprint('tasks.create', stated as unknown as Record<string, unknown>),
    group,
    handler: stated.handler,
    params,
    priority: stated.priority ?? TASK_DEFAULTS.priority,
    timeoutMs: stated.timeoutMs ?? TASK_DEFAULTS.timeoutMs,
    runAt: stated.runAt === undefined ? null : instantMs(stated.runAt),
    delayMs: stated.delayMs ?? 0,
    options: optionsOf(stated),
    metadata: stated.metadata ?? null,
    callbackUrl: stated.callbackUrl ?? null,
    actor: `app:${caller.appPublicId}`,
  };
}

function optionsOf(stated: SubmitTask): TaskOptions {
  const options: TaskOptions = {};
  if (stated.retry) options.retry = stated.retry;
  if (stated.repeatable === false) options.repeatable = false;
  if (stated.routing) options.routing = stated.routing;
  return options;
}
