import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuditNote, AuditService } from '../auth/audit.service.js';
import type { ConsoleCaller } from '../auth/console-caller.js';
import { type Deed, deedEntry, type Witness } from '../platform/witness.js';
import type { Sql } from '../ports.js';

/** Whom the log names for a change, and who is told the entry's id. */
export interface Author {
  /** `user:<name>`. */
  actor: string;
  actorIp: string | null;
  userAgent: string | null;
  requestId: string | null;
  bulkId: string | null;
  reason: string | null;
  tell: (auditId: string) => void;
  /** Written with the change and its entry. */
  also?: (tx: Sql) => Promise<void>;
}

export function authorOf(caller: ConsoleCaller, reply: FastifyReply, reason?: string | null): Author {
  return {
    actor: `user:${caller.username}`,
    actorIp: caller.address,
    userAgent: caller.userAgent,
    requestId: caller.requestId,
    bulkId: null,
    reason: reason || null,
    // A transaction that is tried again writes its entry again: the last one is the one that stays.
    tell: (auditId) => void reply.header('audit-id', auditId),
  };
}

/** Makes witnesses that log a change in its own transaction. */
@Injectable()
export class Trail {
  constructor(private readonly audit: AuditService) {}

  of<T>(author: Author, deed: Deed<T>): Witness<T> {
    return (tx, before, after) => this.write(tx, author, deedEntry(deed, before, after));
  }

  /** Of what is not one change in the database, or not one of ours to be in. */
  async note({ tell, also: _, ...author }: Author, what: Omit<AuditNote, keyof Omit<Author, 'tell' | 'also'>>): Promise<void> {
    tell(await this.audit.note({ ...author, ...what }));
  }

  async write(
    tx: Sql,
    { tell, also, ...author }: Author,
    what: {
      action: string;
      object: { type: string; id: string | null };
      group?: string | null;
      before?: unknown;
      after?: unknown;
    },
  ): Promise<void> {
    tell(await this.audit.write(tx, { ...author, ...what }));
    await also?.(tx);
  }
}
