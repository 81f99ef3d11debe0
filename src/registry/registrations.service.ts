import type { DeregisterRequest, RegisterRequest } from '@evenkeel/sdk/contract';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Admission, inUse, type KeyHolder } from './admission.js';
import { emptyFigures, offerOf, type StoredWorker } from './worker.js';
import { WorkerStore } from './worker.store.js';
import { WorkerProbe } from './worker-probe.js';
import { WorkersService } from './workers.service.js';

const TRIES = 3;

/** Workers come and go. At most one incarnation of a worker id is registered at a time: the row decides. */
@Injectable()
export class RegistrationsService {
  private readonly logger = new Logger('Registrations');
  private readonly admission: Admission;

  constructor(
    private readonly workers: WorkersService,
    private readonly store: WorkerStore,
    private readonly clock: Clock,
    probe: WorkerProbe,
  ) {
    this.admission = new Admission(probe);
  }

  /**
   * Whether the caller may register so; to be asked before any result it brings along is believed. Throws `insufficient_scope` or
   * `worker_id_in_use`. It asks the process that holds the id, so it may take a second.
   */
  async admit(request: RegisterRequest, caller: KeyHolder): Promise<StoredWorker | undefined> {
    this.admission.checkGroups(request, caller);
    const [former] = await this.store.byIds([request.workerId]);
    await this.admission.checkFormer(former, request, caller);
    return former;
  }

  /**
   * Registers in the place of what `admit` found; durable, and known to every node, when it resolves. If somebody registered
   * meanwhile, asks again. The same incarnation may register again, which lifts a suspension.
   */
  async register(request: RegisterRequest, caller: KeyHolder, admitted: StoredWorker | undefined): Promise<void> {
    let former = admitted;
    for (let tries = 1; ; tries++) {
      const worker = this.workerOf(request, caller, former);
      const won = former ? await this.store.replace(former, worker) : await this.store.insert(worker);
      if (won) break;
      if (tries === TRIES) throw inUse(request.workerId);
      former = await this.admit(request, caller);
    }
    const { workerId, incarnation, groups } = request;
    this.logger.log('worker registered', { worker: workerId, incarnation, groups });
    await this.workers.rowWritten(workerId);
  }

  /** Throws as `WorkersService.owned` does. */
  async deregister({ workerId, incarnation }: DeregisterRequest, accessKey: string): Promise<void> {
    await this.workers.owned(workerId, incarnation, accessKey);
    if (!(await this.store.markGone(workerId, incarnation))) throw inUse(workerId);
    this.logger.log('worker deregistered', { worker: workerId, incarnation });
    await this.workers.rowWritten(workerId);
  }

  private workerOf(
    request: RegisterRequest,
    caller: KeyHolder,
    former: StoredWorker | undefined,
  ): Omit<StoredWorker, 'changedAt'> {
    const now = this.clock.now();
    const offer = offerOf(request);
    const again = former?.incarnation === request.incarnation;
    return {
      workerId: request.workerId,
      incarnation: request.incarnation,
      accessKey: caller.accessKey,
      offer,
      state: 'ready',
      drainAsked: former?.drainAsked ?? false,
      drain: former?.drain ?? null,
      cordon: former?.cordon ?? null,
      figures: again ? former.figures : emptyFigures(offer),
      lastRefused: again ? former.lastRefused : null,
      registeredAt: now,
      lastBeatAt: now,
    };
  }
}
