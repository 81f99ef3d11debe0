import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { SqlDialect } from '../ports.js';
import { DEFAULT_SECRET } from './attempt-delivery.js';
import type { SealedSecret } from './callbacks.js';
import { type SealedRow, SealedStore, type SealedTable } from './sealed.store.js';
import { SealedColumns, type SealedList } from './secret-sealer.js';

/** Tells whoever wraps secrets anew where those of callbacks are: of endpoints, and of apps for callbacks without one. */
@Injectable()
export class SealedWebhooks {
  constructor(dialect: SqlDialect, store: SealedStore, columns: SealedColumns, clock: Clock) {
    const inUse = ({ until }: SealedSecret) => until === null || until > clock.now();
    const column = (table: SealedTable, listOf: (row: SealedRow) => Pick<SealedList, 'owner' | 'name'>) =>
      columns.add({
        notWrappedBy: async (prefixes, after, limit) =>
          (await store.notWrappedBy(dialect.root, table, prefixes, after, limit)).map((row) => ({
            ...row,
            ...listOf(row),
            boxes: (JSON.parse(row.text) as SealedSecret[]).filter(inUse).map(({ box }) => box),
          })),
        replace: (tx, id, before, after) => store.replace(tx, table, id, before, after),
      });
    column('webhook_endpoints', ({ id }) => ({ owner: String(id), name: String(id) }));
    column('callback_apps', ({ appId }) => ({ owner: DEFAULT_SECRET, name: `callbacks of app ${appId}` }));
  }
}
