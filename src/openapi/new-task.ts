import type { SubmitTask } from '@evenkeel/sdk/contract';
import { requestFingerprint } from '../decisions/fingerprint.js';
import { resolvePolicies } from '../decisions/policies.js';
import { instantMs } from '../decisions/rfc3339.js';
import type { Group } from '../jobs/group.js';
import type { PartnerCaller } from '../platform/audience.js';
import type { NewTask } from '../tasks/task.js';

/** A checked submission as the task to insert. Defaults, the group's before the system's, come after the fingerprint, which is of what the client stated. */
export function newTask(
  stated: SubmitTask,
  params: string,
  group: Group,
  caller: PartnerCaller,
  upstreamGroups: readonly number[] | undefined,
): NewTask {
  const clientRequestId = stated.clientRequestId ?? null;
  return {
    appId: caller.appId,
    clientRequestId,
    fingerprint:
      clientRequestId === null ? null : requestFingerprint('tasks.create', stated as unknown as Record<string, unknown>, params),
    group,
    handler: stated.handler,
    params,
    ...resolvePolicies(stated, group.policies),
    runAt: stated.runAt === undefined ? null : instantMs(stated.runAt),
    delayMs: stated.delayMs ?? 0,
    shards: stated.shards,
    metadata: stated.metadata ?? null,
    ...(stated.dependsOn?.length ? { dependsOn: stated.dependsOn, upstreamGroups } : {}),
    expectedDurationMs: stated.expectedDurationMs,
    callbackUrl: stated.callbackUrl ?? null,
    actor: `app:${caller.appPublicId}`,
  };
}
