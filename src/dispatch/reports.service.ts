import type { AttemptReport, AttemptResult, CancelOrder, ResultAck } from '@evenkeel/sdk/contract';

/** Placeholder for the real service: what the worker channel asks of it. */
export abstract class ReportsService {
  /** Settles results; `incarnation` is null for results of earlier lives. */
  abstract apply(workerId: string, incarnation: string | null, results: AttemptResult[]): Promise<ResultAck[]>;
  /** Compares what a worker names with what the centre counts. */
  abstract review(
    workerId: string,
    incarnation: string,
    attempts: AttemptReport[],
  ): Promise<{ cancel: CancelOrder[]; abandon: { taskId: string; lease: number }[] }>;
}
