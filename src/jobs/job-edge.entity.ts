import { Entity, Index } from 'typeorm';
import { Key, TinyInt } from '../platform/database/columns.js';

/** The downstream job waits for the upstream job. The same list stands in the downstream's row, written by the same transaction. */
@Entity('job_edges')
@Index('ix_job_edges_upstream', ['upstreamId'])
export class JobEdgeEntity {
  @Key('downstream_id', 31, { primary: true })
  downstreamId: string;
  @Key('upstream_id', 31, { primary: true })
  upstreamId: string;
}

/** One row; whoever changes edges locks it first, so that two changes cannot close a circle that neither sees. */
@Entity('job_graph')
export class JobGraphEntity {
  @TinyInt('id', { primary: true })
  id: number;
}
