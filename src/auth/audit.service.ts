import { Injectable } from '@nestjs/common';
import { actorKindOf } from '../decisions/actor-kind.js';
import { withoutSecrets } from '../decisions/without-secrets.js';
import { Clock } from '../platform/clock.js';
import { inBatches } from '../platform/database/in-batches.js';
import { firstIdAt, newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { type AuditFilter, type AuditRow, AuditStore, type MemberRow } from './audit.store.js';

const REMOVED_AT_ONCE = 500;

export interface AuditNote {
  /** `user:<name>`, `key:<access key>` of a partner, `command`, `system`. */
  actor: string;
  actorIp?: string | null;
  userAgent?: string | null;
  requestId?: string | null;
  bulkId?: string | null;
  action: string;
  object: { type: string; id: string | null };
  group?: string | null;
  reason?: string | null;
  before?: unknown;
  after?: unknown;
}

export interface StateChange extends Pick<MemberRow, 'objectId' | 'action' | 'loggedAt' | 'isFirst'> {
  before: string | null;
  after: string | null;
}

/** The log of who changed what. Written in the transaction of the change, never altered, and removed
 * only when it is older than it is kept; values of secrets are masked before. */
@Injectable()
export class AuditService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AuditStore,
    private readonly clock: Clock,
  ) {}

  /** Returns the entry's id. */
  async write(tx: Sql, note: AuditNote): Promise<string> {
    const id = newId('aud');
    await this.store.insert(tx, {
      id,
      loggedAt: Math.floor(this.clock.now()),
      actor: cut(note.actor, 128) as string,
      actorKind: actorKindOf(note.actor),
      actorIp: cut(note.actorIp, 64),
      userAgent: cut(note.userAgent, 255),
      action: note.action,
      objectType: note.object.type,
      objectId: cut(note.object.id, 128),
      groupKey: note.group ?? null,
      reason: cut(note.reason, 500),
      beforeJson: textOf(note.before),
      afterJson: textOf(note.after),
      requestId: note.requestId ?? null,
      bulkId: note.bulkId ?? null,
    });
    return id;
  }

  /** Of what is no change in the database, such as a sign-in that failed. */
  note(note: AuditNote): Promise<string> {
    return this.write(this.dialect.root, note);
  }

  /** Yields after each statement how many entries of before the instant (epoch milliseconds) it removed. */
  removeBefore(before: number): AsyncGenerator<number> {
    return inBatches(REMOVED_AT_ONCE, (most) => this.store.removeBefore(this.dialect.root, before, most));
  }

  /**
   * The states of objects before and after what changed them since the instant (epoch milliseconds), of each object the latest `each`
   * entries, newest first. Entries that say nothing of a state are among them.
   */
  async statesSince(objectType: string, objectIds: readonly string[], since: number, each: number): Promise<StateChange[]> {
    const query = { objectType, objectIds, fromId: firstIdAt('aud', since), member: 'state', each } as const;
    const rows = await this.store.membersOf(this.dialect.root, query);
    return rows.map(({ beforeValue, afterValue, ...row }) => ({
      ...row,
      before: unquoted(beforeValue),
      after: unquoted(afterValue),
    }));
  }

  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRow[]> {
    return this.store.list(this.dialect.root, filter);
  }
}

const unquoted = (text: string | null): string | null => text?.replaceAll('"', '') ?? null;
const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(withoutSecrets(value));
const cut = (text: string | null | undefined, length: number): string | null => text?.slice(0, length) ?? null;
