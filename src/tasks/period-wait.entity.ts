import { Entity, Index } from 'typeorm';
import { Key, Millis } from '../platform/database/columns.js';

/** A fire waits for the tasks that an upstream job fires in its period: later than `afterAt`, up to `untilAt`. */
@Entity('period_waits')
@Index('ix_period_waits_upstream', ['upstreamId', 'untilAt'])
export class PeriodWaitEntity {
  @Key('task_id', 31, { primary: true })
  taskId: string;
  /** The upstream job. */
  @Key('upstream_id', 31, { primary: true })
  upstreamId: string;
  @Millis('after_at')
  afterAt: number;
  @Millis('until_at')
  untilAt: number;
}
