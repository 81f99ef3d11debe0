export type BackfillState = 'running' | 'done' | 'cancelled';

/** A span of a job's fires that are given tasks once more. Instants are epoch milliseconds. */
export interface Backfill {
  id: string;
  jobId: string;
  partition: number;
  /** The definition it was asked for with; later edits of the job do not touch it. */
  jobVersion: number;
  fromAt: number;
  /** Exclusive. */
  untilAt: number;
  /** Every fire before this instant has its task. */
  nextAt: number;
  /** Fires of the whole span. */
  fires: number;
  /** Tasks made so far. */
  made: number;
  priority: number;
  /** Tasks of it that are unfinished at once. */
  maxParallel: number;
  state: BackfillState;
  requestedBy: string;
  createdAt: number;
  updatedAt: number;
}

/** What somebody asks for. */
export interface BackfillRequest {
  fromAt: number;
  /** Exclusive; not later than now. */
  untilAt: number;
  /** Absent: the lowest. */
  priority?: number;
  /** Absent: as the job's overlap rule has it: `allow` its `maxParallel`, everything else one at a time. */
  maxParallel?: number;
  clientRequestId: string | null;
  /** Hex SHA-256 of the request as stated; null without a clientRequestId. */
  fingerprint: string | null;
  /** Who asked. */
  by: string;
}

export type BackfillPreview = { outcome: 'found'; fires: number[] } | { outcome: 'not_found' };
export type BackfillOutcome =
  | { outcome: 'accepted' | 'replayed'; backfill: Backfill }
  /** The clientRequestId belongs to a backfill of another span. */
  | { outcome: 'reused'; existingBackfillId: string }
  | { outcome: 'not_found' };
