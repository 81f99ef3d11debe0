import type { AttemptPhase, HeartbeatAnswer, HeartbeatRequest } from '../contract/index.js';
import type { ChannelOptions } from './centre-channel.js';
import type { LogFields, LogLevel } from './logger.js';

/** What the beat thread is started with. */
export interface BeatThreadData {
  channel: ChannelOptions;
  workerId: string;
  incarnation: string;
  clock: SharedArrayBuffer;
}

export type BeatFigures = Pick<HeartbeatRequest, 'state' | 'active' | 'queued' | 'freeSlots' | 'full' | 'avgCostMs'>;

/** `gone`: no longer this worker's. */
export interface AttemptChange {
  taskId: string;
  lease: number;
  phase: AttemptPhase | 'gone';
  progress?: number;
  /** JSON text. */
  checkpoint?: string;
}

export type ToBeatThread =
  | { kind: 'registered'; heartbeatMs: number; leaseMs: number }
  | { kind: 'state'; figures: BeatFigures; changes: AttemptChange[]; soon: boolean }
  | { kind: 'stop' };

export type FromBeatThread =
  | { kind: 'answer'; answer: HeartbeatAnswer }
  | { kind: 'unknown' }
  | { kind: 'log'; level: LogLevel; message: string; fields: LogFields };
