import { Entity, Index } from 'typeorm';
import { Int, Key, Millis } from '../platform/database/columns.js';

/** A request of a partner or worker that was refused at the door. Of each key only the newest are kept; never a body or a secret. */
@Entity('rejected_requests')
@Index('ix_rejected_requests_owner', ['owner', 'id'])
export class RejectedRequestEntity {
  @Key('id', 31, { primary: true })
  id: string;
  /** The key it is listed under; empty for keys that do not exist. */
  @Key('owner_key', 48)
  owner: string;
  /** As it was sent. */
  @Key('claimed_key', 48)
  claimed: string;
  @Millis('rejected_at')
  at: number;
  @Key('problem_code', 40)
  code: string;
  @Key('detail', 255)
  detail: string;
  @Key('http_method', 16)
  method: string;
  /** Path and query as they were verified. */
  @Key('target', 2048)
  target: string;
  @Key('client_address', 64)
  address: string;
  @Key('node_id', 64)
  node: string;
  @Key('signed_at', 64, { nullable: true })
  timestamp: string | null;
  @Key('nonce', 64, { nullable: true })
  nonce: string | null;
  /** Only of one that matched nothing: it opens nothing. */
  @Key('signature', 80, { nullable: true })
  signature: string | null;
  /** SHA-256 of the body that arrived, where it was verified. */
  @Key('body_digest', 64, { nullable: true })
  bodyDigest: string | null;
  @Int('body_bytes')
  bodyBytes: number;
  /** How many more like it came in the same moment and were not kept. */
  @Int('more_like_it')
  more: number;
}
