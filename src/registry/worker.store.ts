import { Injectable } from '@nestjs/common';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { Cordon, Drain, RefusedBeat, ReportedFigures, StoredState, StoredWorker, WorkerOffer } from './worker.js';

/** What one beat writes; joined to the row by worker and incarnation. */
export interface BeatRow {
  workerId: string;
  incarnation: string;
  state: 'ready' | 'draining';
  figures: ReportedFigures;
  /** Epoch milliseconds it was received at, by the centre's clock. */
  beatAt: number;
  refused: RefusedBeat | null;
}

interface Row {
  worker_id: string;
  incarnation: string;
  access_key: string;
  offer_json: string;
  worker_state: StoredState;
  drain_asked: number;
  drain_json: string | null;
  cordoned_at: number | string | null;
  cordon_json: string | null;
  figures_json: string;
  last_refused_json: string | null;
  registered_at: number | string;
  last_beat_at: number | string;
  changed_at: number | string;
}

const COLUMNS = `worker_id, incarnation, access_key, offer_json, worker_state, drain_asked, figures_json, last_refused_json, registered_at,
  last_beat_at, drain_json, cordoned_at, cordon_json, changed_at`;
/** A row whose write is under way may commit with a `changed_at` older than one already read. */
const OVERLAP_MS = 3000;

/** Every statement about workers. `changed_at` is the database's clock at each write, so that other nodes find what changed. */
@Injectable()
export class WorkerStore {
  /** The last offer of each worker as text and parsed: a beat changes a row, but hardly ever its offer. */
  private readonly offers = new Map<string, { text: string; offer: WorkerOffer }>();

  constructor(private readonly dialect: SqlDialect) {}

  async all(): Promise<StoredWorker[]> {
    const workers = await this.read('', []);
    const present = new Set(workers.map((worker) => worker.workerId));
    for (const workerId of this.offers.keys()) if (!present.has(workerId)) this.offers.delete(workerId);
    return workers;
  }

  /** Rows written since a row with this `changedAt` was read, and a little more. */
  changedSince(changedAt: number): Promise<StoredWorker[]> {
    return this.read('WHERE changed_at > ?', [changedAt - OVERLAP_MS]);
  }

  byIds(workerIds: readonly string[]): Promise<StoredWorker[]> {
    return workerIds.length === 0
      ? Promise.resolve([])
      : this.read(`WHERE worker_id IN (${placeholders(workerIds.length)})`, workerIds);
  }

  /** False if the worker id is on record already. */
  async insert(worker: Omit<StoredWorker, 'changedAt'>): Promise<boolean> {
    try {
      await this.dialect.root.run(`INSERT INTO workers (${COLUMNS}) VALUES (${placeholders(13)}, ${this.dialect.nowMs})`, [
        worker.workerId,
        ...this.registrationOf(worker),
      ]);
      return true;
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** A new registration in place of the one read; false if somebody else was first. An operator's drain or cordon outlives it. */
  async replace(former: StoredWorker, worker: Omit<StoredWorker, 'changedAt'>): Promise<boolean> {
    const [incarnation, accessKey, offer, state, , figures, refused, registeredAt, lastBeatAt] = this.registrationOf(worker);
    const changed = await this.dialect.root.run(
      `UPDATE workers SET incarnation = ?, access_key = ?, offer_json = ?, worker_state = ?, figures_json = ?, last_refused_json = ?,
        registered_at = ?, last_beat_at = ?, changed_at = ${this.dialect.nowMs}
       WHERE worker_id = ? AND incarnation = ? AND access_key = ?`,
      [
        incarnation,
        accessKey,
        offer,
        state,
        figures,
        refused,
        registeredAt,
        lastBeatAt,
        worker.workerId,
        former.incarnation,
        former.accessKey,
      ],
    );
    return changed === 1;
  }

  /** Returns how many matched their row: fewer than given means that some worker is another incarnation by now, or gone. */
  writeBeats(beats: readonly BeatRow[]): Promise<number> {
    return this.dialect.updateFromRows(this.dialect.root, {
      table: 'workers',
      columns: [
        ['worker_id', 'id'],
        ['incarnation', 'id'],
        ['beat_state', 'id'],
        ['figures', 'text'],
        ['refused', 'text'],
        ['beat_at', 'bigint'],
      ],
      rows: [...beats]
        .sort((a, b) => (a.workerId < b.workerId ? -1 : 1))
        .map((beat) => [
          beat.workerId,
          beat.incarnation,
          beat.state,
          JSON.stringify(beat.figures),
          beat.refused && JSON.stringify(beat.refused),
          beat.beatAt,
        ]),
      set: {
        worker_state: 'r.beat_state',
        figures_json: 'r.figures',
        last_refused_json: 'COALESCE(r.refused, t.last_refused_json)',
        last_beat_at: 'CASE WHEN r.beat_at > t.last_beat_at THEN r.beat_at ELSE t.last_beat_at END',
        changed_at: this.dialect.nowMs,
      },
      on: "t.worker_id = r.worker_id AND t.incarnation = r.incarnation AND t.worker_state <> 'gone'",
    });
  }

  /** Declares it lost unless a beat came meanwhile; false if one did, or if it is not to be lost any more. */
  async markOffline(workerId: string, incarnation: string, lastBeatAt: number): Promise<boolean> {
    const changed = await this.dialect.root.run(
      `UPDATE workers SET worker_state = 'offline', changed_at = ${this.dialect.nowMs}
       WHERE worker_id = ? AND incarnation = ? AND last_beat_at = ? AND worker_state IN ('ready', 'draining')`,
      [workerId, incarnation, lastBeatAt],
    );
    return changed === 1;
  }

  async markGone(workerId: string, incarnation: string): Promise<boolean> {
    const changed = await this.dialect.root.run(
      `UPDATE workers SET worker_state = 'gone', changed_at = ${this.dialect.nowMs} WHERE worker_id = ? AND incarnation = ?`,
      [workerId, incarnation],
    );
    return changed === 1;
  }

  /** Whether a drain is asked for, kept so until the transaction ends; null if no such worker is on record. */
  async lockDrain(tx: Sql, workerId: string): Promise<boolean | null> {
    const [row] = await tx.rows<{ drain_asked: number }>(
      `SELECT drain_asked FROM workers WHERE worker_id = ? ${this.dialect.forUpdate}`,
      [workerId],
    );
    return row ? Number(row.drain_asked) === 1 : null;
  }

  /** null ends a drain. It outlives the incarnation. False if no such worker is on record. */
  async setDrain(workerId: string, drain: Drain | null, sql: Sql = this.dialect.root): Promise<boolean> {
    const changed = await sql.run(
      `UPDATE workers SET drain_asked = ?, drain_json = ?, changed_at = ${this.dialect.nowMs} WHERE worker_id = ?`,
      [drain ? 1 : 0, drain && JSON.stringify(drain), workerId],
    );
    return changed === 1;
  }

  /** Whether it is cordoned, kept so until the transaction ends; undefined if no such worker is on record. */
  async lockCordon(tx: Sql, workerId: string): Promise<boolean | undefined> {
    const [row] = await tx.rows<{ cordoned_at: number | string | null }>(
      `SELECT cordoned_at FROM workers WHERE worker_id = ? ${this.dialect.forUpdate}`,
      [workerId],
    );
    return row && row.cordoned_at !== null;
  }

  /** null lifts it. It outlives the incarnation. False if no such worker is on record. */
  async setCordon(tx: Sql, workerId: string, cordon: Cordon | null): Promise<boolean> {
    const changed = await tx.run(
      `UPDATE workers SET cordoned_at = ?, cordon_json = ?, changed_at = ${this.dialect.nowMs} WHERE worker_id = ?`,
      [cordon?.at ?? null, cordon && JSON.stringify({ reason: cordon.reason, by: cordon.by }), workerId],
    );
    return changed === 1;
  }

  /** The row, locked until the transaction ends. */
  async lock(tx: Sql, workerId: string): Promise<StoredWorker | undefined> {
    const [row] = await tx.rows<Row>(`SELECT ${COLUMNS} FROM workers WHERE worker_id = ? ${this.dialect.forUpdate}`, [workerId]);
    return row && this.workerOf(row);
  }

  /** Forgets a worker that is lost or has left; false if it is neither, or back. */
  async forget(tx: Sql, workerId: string): Promise<boolean> {
    return (await tx.run("DELETE FROM workers WHERE worker_id = ? AND worker_state IN ('offline', 'gone')", [workerId])) === 1;
  }

  async saveOffer(workerId: string, incarnation: string, registeredAt: number, offer: WorkerOffer): Promise<boolean> {
    const changed = await this.dialect.root.run(
      `UPDATE workers SET offer_json = ?, changed_at = ${this.dialect.nowMs} WHERE worker_id = ? AND incarnation = ? AND registered_at = ?`,
      [JSON.stringify(offer), workerId, incarnation, registeredAt],
    );
    return changed === 1;
  }

  /**
   * Removes workers that have been away since before that instant, but for cordoned ones: what was asked of those holds until it is
   * lifted. Looked for first: a DELETE that reads the whole table waits for the beats that are being written.
   */
  async forgetAwaySince(lastBeatBefore: number): Promise<number> {
    const away = "worker_state IN ('offline', 'gone') AND last_beat_at < ? AND cordoned_at IS NULL";
    const rows = await this.dialect.root.rows<{ id: string }>(`SELECT worker_id AS id FROM workers WHERE ${away}`, [
      lastBeatBefore,
    ]);
    let count = 0;
    for (const { id } of rows)
      count += await this.dialect.root.run(`DELETE FROM workers WHERE worker_id = ? AND ${away}`, [id, lastBeatBefore]);
    return count;
  }

  private async read(where: string, params: readonly unknown[]): Promise<StoredWorker[]> {
    const rows = await this.dialect.root.rows<Row>(`SELECT ${COLUMNS} FROM workers ${where}`, params);
    return rows.map((row) => this.workerOf(row));
  }

  private workerOf(row: Row): StoredWorker {
    return {
      workerId: row.worker_id,
      incarnation: row.incarnation,
      accessKey: row.access_key,
      offer: this.offerOf(row.worker_id, row.offer_json),
      state: row.worker_state,
      drainAsked: Number(row.drain_asked) === 1,
      drain: row.drain_json === null ? null : JSON.parse(row.drain_json),
      cordon: cordonOf(row),
      figures: JSON.parse(row.figures_json),
      lastRefused: row.last_refused_json === null ? null : JSON.parse(row.last_refused_json),
      registeredAt: Number(row.registered_at),
      lastBeatAt: Number(row.last_beat_at),
      changedAt: Number(row.changed_at),
    };
  }

  private offerOf(workerId: string, text: string): WorkerOffer {
    const known = this.offers.get(workerId);
    if (known?.text === text) return known.offer;
    const offer: WorkerOffer = JSON.parse(text);
    this.offers.set(workerId, { text, offer });
    return offer;
  }

  /** The columns of a registration behind `worker_id` and before `changed_at`. */
  private registrationOf(worker: Omit<StoredWorker, 'changedAt'>): unknown[] {
    return [
      worker.incarnation,
      worker.accessKey,
      JSON.stringify(worker.offer),
      worker.state,
      worker.drainAsked ? 1 : 0,
      JSON.stringify(worker.figures),
      worker.lastRefused && JSON.stringify(worker.lastRefused),
      worker.registeredAt,
      worker.lastBeatAt,
      worker.drain && JSON.stringify(worker.drain),
      worker.cordon?.at ?? null,
      worker.cordon && JSON.stringify({ reason: worker.cordon.reason, by: worker.cordon.by }),
    ];
  }
}

function cordonOf({ cordoned_at: at, cordon_json: json }: Row): Cordon | null {
  if (at === null) return null;
  const { reason = null, by = null } = (json === null ? {} : JSON.parse(json)) as Partial<Cordon>;
  return { reason, by, at: Number(at) };
}
