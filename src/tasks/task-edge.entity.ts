import { Entity, Index } from 'typeorm';
import { Key } from '../platform/database/columns.js';

/** A submitted task waits for another task. Kept after the wait: a retry of the upstream finds by it what was skipped. */
@Entity('task_edges')
@Index('ix_task_edges_upstream', ['upstreamId'])
export class TaskEdgeEntity {
  @Key('downstream_id', 31, { primary: true })
  downstreamId: string;
  @Key('upstream_id', 31, { primary: true })
  upstreamId: string;
}
