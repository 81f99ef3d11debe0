import type { RegisterRequest } from '@evenkeel/sdk/contract';
import { AppError } from '../platform/errors.js';
import type { StoredWorker } from './worker.js';
import type { WorkerProbe } from './worker-probe.js';

/** Who signed the request; see WorkerCaller. */
export interface KeyHolder {
  accessKey: string;
  groups: readonly string[];
}

/** A registration waits this long for the process that may still use the id. */
const PROBE_MS = 1000;

/** Whether a worker may register in the place of what is on record. Throws AppError if not. */
export class Admission {
  constructor(private readonly probe: WorkerProbe) {}

  checkGroups(request: RegisterRequest, caller: KeyHolder): void {
    const index = request.groups.findIndex((group) => !caller.groups.includes(group));
    if (index < 0) return;
    const message = 'names a group that this worker key may not serve';
    const errors = [{ pointer: `/groups/${index}`, code: 'forbidden' as const, message }];
    throw new AppError('insufficient_scope', `/groups/${index} ${message}`, { errors });
  }

  async checkFormer(former: StoredWorker | undefined, request: RegisterRequest, caller: KeyHolder): Promise<void> {
    if (!former) return;
    // Taking over an id takes over its unfinished attempts, so it needs a key that may serve all that the id served.
    if (former.accessKey !== caller.accessKey && !former.offer.groups.every((group) => caller.groups.includes(group)))
      throw inUse(request.workerId);
    if (former.incarnation === request.incarnation || former.state === 'gone') return;
    const reply = await this.probe.health(former, PROBE_MS);
    if (reply.kind === 'answered' && reply.health.workerId === former.workerId && reply.health.incarnation === former.incarnation)
      throw inUse(request.workerId);
    if (reply.kind === 'not_asked')
      throw new AppError('service_unavailable', 'the former process of this worker id could not be asked', { retryAfter: 1 });
  }
}

export const inUse = (workerId: string): AppError =>
  new AppError('worker_id_in_use', `another process is registered as worker "${workerId}"`);
