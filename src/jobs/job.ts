import type { JobDefinition } from '../decisions/job-definition.js';

/** `disabled`: it could not be fired ten times in a row; resuming tries it again. */
export type JobState = 'active' | 'paused' | 'disabled';

/** A job as stored. Instants are epoch milliseconds. */
export interface Job extends JobDefinition {
  id: string;
  key: string;
  groupId: number;
  partition: number;
  state: JobState;
  pauseReason: string | null;
  /** Null while nothing is planned. */
  nextFireAt: number | null;
  /** The fire that was next when it was paused. */
  pausedFireAt: number | null;
  lastFireAt: number | null;
  fireFailures: number;
  appId: number | null;
  clientRequestId: string | null;
  fingerprint: string | null;
  version: number;
  createdAt: number;
  updatedAt: number;
  /** Why the row cannot be read as a job; its definition is then not to be relied on. */
  corrupt: string | null;
}

/** The app a job must be of for its partner; operators look at anybody's. */
export type Whose = number | 'anybody';
export const belongsTo = ({ appId }: Pick<Job, 'appId'>, whose: Whose): boolean => whose === 'anybody' || appId === whose;

export interface NewJob {
  key: string;
  groupId: number;
  partition: number;
  appId: number | null;
  clientRequestId: string | null;
  /** Hex SHA-256 of the request as stated; null without a clientRequestId. */
  fingerprint: string | null;
  /** Who asked, for the history. */
  by: string;
  /** It fires only once it is resumed. */
  paused?: boolean;
  pauseReason?: string;
}

export type CreateOutcome =
  | { outcome: 'created' | 'replayed'; job: Job }
  /** The clientRequestId belongs to a job with another definition. */
  | { outcome: 'reused'; existingJobId: string }
  /** The clientRequestId has created a job with this definition, which is deleted since. */
  | { outcome: 'deleted'; deletedJobId: string }
  /** The group has a job with this key. */
  | { outcome: 'key_taken' }
  /** Another transaction has written the clientRequestId and has not ended for as long as anybody waits for it. */
  | { outcome: 'in_progress' };

export type ChangeOutcome = { outcome: 'changed'; job: Job } | { outcome: 'not_found' } | { outcome: 'conflict'; current: Job };

export type MoveOutcome = ChangeOutcome | { outcome: 'key_taken' };

export interface JobVersion {
  version: number;
  definition: JobDefinition;
  changedBy: string;
  changedAt: number;
}

export interface JobFilter {
  appId: number;
  /** Only jobs of these groups. */
  groupIds?: readonly number[];
  key?: string;
  state?: JobState;
  /** Only jobs with an id below this one (newest first). */
  before?: string;
  limit: number;
}
