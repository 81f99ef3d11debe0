import type { Instant, Page } from './page.js';

export interface AuditEntry {
  id: string;
  at: Instant;
  /** `user:<name>`, `key:<access key>` of a partner, `command`, `system`. */
  actor: string;
  actorKind: 'user' | 'partner' | 'command' | 'system';
  /** The partner it was, unless it has been deleted since. */
  app: { id: string; name: string } | null;
  actorIp: string | null;
  userAgent: string | null;
  /** e.g. `job.changed`, `task.cancelled`, `key.created`. */
  action: string;
  object: { type: string; id: string | null };
  group: string | null;
  reason: string | null;
  /** Secrets are never in here. */
  before: unknown;
  after: unknown;
  requestId: string | null;
  bulkId: string | null;
}
export type AuditList = Page<AuditEntry>;
