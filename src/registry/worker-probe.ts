import type { HealthAnswer } from '@evenkeel/sdk/contract';
import type { WorkerView } from './worker.js';

/** How to reach a worker and with which key. */
export type WorkerAddress = Pick<WorkerView, 'workerId' | 'incarnation' | 'accessKey' | 'offer'>;

export type ProbeReply =
  | { kind: 'answered'; health: HealthAnswer }
  /** Refused, no answer in time, or no answer a worker would give. */
  | { kind: 'silent'; cause: string }
  /** The question was never asked (its signature could not be made): nothing is known about the worker. */
  | { kind: 'not_asked'; cause: string };

/** Asks a worker's own HTTP server, signed, whether it lives. Never throws. */
export abstract class WorkerProbe {
  abstract health(worker: WorkerAddress, timeoutMs: number): Promise<ProbeReply>;
}
