import { Injectable } from '@nestjs/common';
import { groupedBy } from '../decisions/grouped.js';
import { type Sql, SqlDialect } from '../ports.js';
import type { NewTask } from './task.js';
import { TaskStore } from './task.store.js';
import type { TaskRow } from './task-row.js';

/** A task by its app and clientRequestId; null for one without, which is never the same as another. */
export const requestKeyOf = ({ appId, clientRequestId }: Pick<NewTask, 'appId' | 'clientRequestId'>): string | null =>
  appId === null || clientRequestId === null ? null : `${appId}:${clientRequestId}`;

/** What is known of the keys that submissions bear: the unique key alone decides, this says how it will. */
@Injectable()
export class RequestKeys {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
  ) {}

  /** The stored tasks that bear a key of one of these, by key. */
  async known(sql: Pick<Sql, 'rows'>, tasks: readonly NewTask[]): Promise<Map<string, TaskRow>> {
    const byApp = groupedBy(
      tasks.filter((task) => requestKeyOf(task) !== null),
      ({ appId }) => appId as number,
    );
    const known = new Map<string, TaskRow>();
    for (const [appId, asked] of byApp) {
      const ids = [...new Set(asked.map(({ clientRequestId }) => clientRequestId as string))];
      for (const row of await this.store.withRequestIds(sql, appId, ids)) known.set(`${appId}:${row.client_request_id}`, row);
    }
    return known;
  }

  /**
   * The keys of these that open transactions have written: whoever inserted one of them would wait for that transaction. A moment's
   * view; what has committed between the two looks is not among them.
   */
  async beingWritten(tasks: readonly NewTask[]): Promise<Set<string>> {
    const keys = new Set((await this.known(this.dialect.uncommitted, tasks)).keys());
    if (keys.size === 0) return keys;
    for (const key of (await this.known(this.dialect.root, tasks)).keys()) keys.delete(key);
    return keys;
  }
}
