import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { words } from '../request-parts.js';
import { CSV_BEGIN, csvLine } from './csv.js';
import { type WrittenZone, zoneOf, zoneParameter } from './zone.js';

/** What a request for a file may state beside the filters of its list. `zone`: instants of a CSV file are written in it; UTC if absent. */
export const FILE_PARAMETERS = { format: words(['csv', 'ndjson'] as const), zone: zoneParameter };
const UTC = zoneOf('UTC') as WrittenZone;
/** Rows read at once, and of one file. */
const STEP = 500;
const MOST = 100_000;

type Cell = string | number | null;
/** How instants are written into a file. */
interface Written {
  at: (instant: string | null) => string | null;
  zone: string;
}
export interface ListFile<Row> {
  /** Without the ending. */
  name: string;
  columns: readonly (readonly [title: string, cell: (row: Row, written: Written) => Cell])[];
  /** At most `limit` rows after the cursor. `next`: the cursor they go on with, null after the last. */
  read: (before: string | undefined, limit: number) => Promise<{ rows: readonly Row[]; next: string | null }>;
}

/** Sends a list as a file that is read step by step while the client reads: at most 100 000 rows. CSV if no format is stated. */
export async function sendList<Row>(
  reply: FastifyReply,
  { name, columns, read }: ListFile<Row>,
  { format = 'csv', zone = UTC }: { format?: 'csv' | 'ndjson'; zone?: WrittenZone },
): Promise<void> {
  reply.header('content-disposition', `attachment; filename="${name}.${format}"`);
  if (format === 'ndjson') {
    reply.header('content-type', 'application/x-ndjson; charset=utf-8');
    await reply.send(Readable.from(texts(read, (row) => `${JSON.stringify(row)}\n`)));
    return;
  }
  const written: Written = { at: (instant) => (instant === null ? null : zone.local(instant)), zone: zone.name };
  const line = (row: Row) => csvLine(columns.map(([, cell]) => cell(row, written)));
  reply.header('content-type', 'text/csv; charset=utf-8');
  await reply.send(Readable.from(texts(read, line, CSV_BEGIN + csvLine(columns.map(([title]) => title)))));
}

async function* texts<Row>(read: ListFile<Row>['read'], line: (row: Row) => string, head = ''): AsyncGenerator<string> {
  if (head) yield head;
  let before: string | undefined;
  for (let told = 0; told < MOST; ) {
    const { rows, next } = await read(before, Math.min(STEP, MOST - told));
    // Also when nothing was found: a reader that has gone is noticed here.
    yield rows.map(line).join('');
    if (next === null) return;
    told += rows.length;
    before = next;
  }
}
