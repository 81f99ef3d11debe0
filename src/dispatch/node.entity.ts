import { Entity } from 'typeorm';
import { Key, Millis, Name } from '../platform/database/columns.js';

/** A server process of the centre. */
@Entity('nodes')
export class NodeEntity {
  @Key('node_id', 64, { primary: true })
  nodeId: string;
  @Name('host_name', 255)
  hostName: string;
  @Millis('started_at')
  startedAt: number;
  @Millis('seen_at')
  seenAt: number;
}
