import type { WorkerFigures } from '@evenkeel/sdk/contract';

/** What nodes tell each other about one worker; everything in it is absolute, so a lost message is mended by the next. */
export interface SharedWorker {
  workerId: string;
  incarnation: string;
  figures: WorkerFigures;
  /** Orders the sending node has not had answers to. */
  orders: number;
  /** The last beat or probe answer the sending node received, if it was since its last message. */
  beat?: SharedBeat;
}

export interface SharedBeat {
  /** See NamedAttempts: the answer to a probe has no whole number. */
  seq: number;
  state: 'ready' | 'draining';
  avgCostMs: number;
  cpuIdlePercent: number;
  attempts: { taskId: string; lease: number }[];
}
