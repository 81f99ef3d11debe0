import type { HeartbeatAnswer, LogsAnswer, RegisterAnswer, ResultsAnswer } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { withExactNumbers } from '../decisions/json-text.js';
import type { WorkerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { BeatsService } from '../registry/beats.service.js';
import {
  type Checked,
  checkDeregister,
  checkHeartbeat,
  checkLogs,
  checkRegister,
  checkResults,
} from '../registry/check-message.js';
import { claimedIdentity } from '../registry/claimed-identity.js';
import { RegistrationsService } from '../registry/registrations.service.js';
import { WorkersService } from '../registry/workers.service.js';
import { TaskLogs } from '../tasks/task-logs.js';
import { Epochs } from './epochs.js';
import { ProgressService } from './progress.service.js';
import { ReportsService } from './reports.service.js';

/** Workers beat this often, and fence themselves this long after sending the last beat that was acknowledged. */
const HEARTBEAT_MS = 5000;
const LEASE_MS = 15_000;

/** A parsed body and the text it was parsed from. */
export interface WorkerMessage {
  body: unknown;
  text: string | undefined;
}

/** What workers tell the centre, each message checked, owned by its key, taken in and answered. */
@Injectable()
export class WorkerChannelService {
  constructor(
    private readonly workers: WorkersService,
    private readonly registrations: RegistrationsService,
    private readonly beats: BeatsService,
    private readonly reports: ReportsService,
    private readonly taskLogs: TaskLogs,
    private readonly progress: ProgressService,
    private readonly epochs: Epochs,
    private readonly clock: Clock,
  ) {}

  /** Results of earlier lives are applied before the registration, which lets their unreported attempts be recovered. */
  async register({ body, text }: WorkerMessage, caller: WorkerCaller): Promise<RegisterAnswer> {
    const receivedAt = this.clock.now();
    const request = accepted(checkRegister(body));
    const former = await this.registrations.admit(request, caller);
    const unreported = withExactNumbers(request.unreported, text, 'unreported', 'result');
    const acks = unreported.length > 0 ? await this.reports.apply(request.workerId, unreported) : [];
    await this.registrations.register(request, caller, former);
    const serverTime = this.midwaySince(receivedAt);
    return { heartbeatMs: HEARTBEAT_MS, leaseMs: LEASE_MS, serverTime, epochs: this.epochs.known(), acks };
  }

  async heartbeat({ body, text }: WorkerMessage, caller: WorkerCaller): Promise<HeartbeatAnswer> {
    const receivedAt = this.clock.now();
    const checked = checkHeartbeat(body);
    if (checked.message === null) {
      await this.beats.beatRefused(body, checked.errors, caller.accessKey);
      throw AppError.fields(checked.errors);
    }
    const { workerId, incarnation } = checked.message;
    const attempts = withExactNumbers(checked.message.attempts, text, 'attempts', 'checkpoint');
    await Promise.all([
      this.beats.beat(checked.message, caller.accessKey),
      this.progress.note({ workerId, incarnation, attempts }),
    ]);
    const { cancel, abandon } = await this.reports.review(attempts);
    const drain = this.workers.find(workerId)?.drainAsked ?? false;
    return { serverTime: this.midwaySince(receivedAt), leaseMs: LEASE_MS, epochs: this.epochs.known(), cancel, abandon, drain };
  }

  /** A beat that is no JSON object: throws `refusal`, once its sender, if it can be made out, was heard. */
  async refuseBeat(refusal: AppError, text: string | undefined, { accessKey }: WorkerCaller): Promise<never> {
    const errors = [{ pointer: '', code: refusal.code, message: refusal.detail }];
    await this.beats.beatRefused(claimedIdentity(text ?? ''), errors, accessKey);
    throw refusal;
  }

  /** Taken from any incarnation of the key's worker: a result is late or not by its lease, not by who sends it. */
  async results({ body, text }: WorkerMessage, caller: WorkerCaller): Promise<ResultsAnswer> {
    const { workerId, incarnation, figures, ...told } = accepted(checkResults(body));
    const results = withExactNumbers(told.results, text, 'results', 'result');
    if (!(await this.workers.ownsWorker(workerId, caller.accessKey)))
      throw new AppError('not_found', 'no such worker is registered with this key: register again');
    const acks = await this.reports.apply(workerId, results);
    if (figures) this.workers.noteFigures(workerId, incarnation, figures);
    return { acks };
  }

  /** Of running attempts and of those that have ended, by any incarnation of the key's worker. */
  async logs({ body }: WorkerMessage, caller: WorkerCaller): Promise<LogsAnswer> {
    const { workerId, lines } = accepted(checkLogs(body));
    if (!(await this.workers.ownsWorker(workerId, caller.accessKey)))
      throw new AppError('not_found', 'no such worker is registered with this key: register again');
    return { refused: await this.taskLogs.append(workerId, lines) };
  }

  async deregister({ body }: WorkerMessage, caller: WorkerCaller): Promise<Record<string, never>> {
    await this.registrations.deregister(accepted(checkDeregister(body)), caller.accessKey);
    return {};
  }

  /**
   * Workers take it for the time in the middle of their round trip. A beat may wait a second for its write, so the time at its end
   * would put their clocks, and with them the times of their results, up to half a second wrong.
   */
  private midwaySince(receivedAt: number): number {
    return Math.round((receivedAt + this.clock.now()) / 2);
  }
}

function accepted<T>(checked: Checked<T>): T {
  if (checked.message === null) throw AppError.fields(checked.errors);
  return checked.message;
}
