import { Injectable } from '@nestjs/common';
import type { Deed, Witness } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { Keyring, rewrapSecret, SecretBoxError, type SecretOwner } from './secret-box.js';

export type SealedId = number | string;
/** Sealed secrets of one owner as a column keeps them. */
export interface SealedRow {
  id: SealedId;
  /** The column: a box, or JSON with boxes in it. */
  text: string;
  /** Those still in use. */
  boxes: readonly string[];
  owner: SecretOwner;
  /** What an operator knows it by; never secret. */
  name: string;
}
/** A column that keeps sealed secrets. */
export interface SealedSecrets {
  /** A node that does not know their keys is of no use. */
  vital: boolean;
  /** Rows above `after` (null: from the first) of which some box begins with none of the prefixes, ids ascending. */
  notWrappedBy(prefixes: readonly string[], after: SealedId | null, limit: number): Promise<SealedRow[]>;
  /** Replaces the text if it is still the one that was read; false if it was written meanwhile. */
  replace(tx: Sql, id: SealedId, before: string, after: string): Promise<boolean>;
}
/** What a witness is told of each transaction that wrapped some anew. */
export interface Rewrapped {
  /** Id of the key that wraps them now. */
  kek: string;
  /** Whose secrets they are; an owner may have several. */
  owners: string[];
}
export interface RewrapAnswer {
  /** Id of the key that wraps all of them now. */
  current: string;
  rewrapped: number;
  /** Names of those whose own key is not loaded or that are damaged; they are left as they were. */
  failed: string[];
}

export const rewrapDeed: Deed<Rewrapped> = {
  action: 'settings.secrets_rewrapped',
  type: 'setting',
  id: () => 'key_encryption',
  show: (rewrapped) => rewrapped,
};

const CHUNK = 100;
const prefixOf = (kekId: string): string => `v1.${kekId}.`;

/**
 * Wraps the data key of every stored secret with the current key of the ring; the secrets themselves are not touched or read. Each
 * row is one conditional update, some hundred of them with their log entry a transaction, so it may be stopped anywhere, run twice, or
 * run beside writers and nodes: what is done is passed over, and a row written meanwhile is looked at again. The old key may be taken
 * from EK_KEKS when nothing failed and no node runs with it as the current one.
 */
@Injectable()
export class SecretRewrapService {
  private readonly tables: SealedSecrets[] = [];

  constructor(
    private readonly dialect: SqlDialect,
    private readonly keyring: Keyring,
  ) {}

  /** Modules with sealed secrets name their tables here when they start. */
  register(table: SealedSecrets): void {
    this.tables.push(table);
  }

  async rewrapAll(witness?: Witness<Rewrapped>): Promise<RewrapAnswer> {
    const current = this.keyring.current.id;
    const answer: RewrapAnswer = { current, rewrapped: 0, failed: [] };
    for (const table of this.tables) {
      for (let lost = true; lost; ) {
        const pass = await this.pass(table, current, witness);
        answer.rewrapped += pass.rewrapped;
        lost = pass.lost > 0;
        if (!lost) answer.failed.push(...pass.failed);
      }
    }
    return answer;
  }

  /** Names of stored secrets that are wrapped by a key this process does not know: of each column the first. */
  async foreign(): Promise<{ name: string; vital: boolean }[]> {
    const known = this.keyring.ids.map(prefixOf);
    const isForeign = (box: string) => !known.some((prefix) => box.startsWith(prefix));
    const found: { name: string; vital: boolean }[] = [];
    for (const table of this.tables)
      for await (const { boxes, name } of this.rowsOf(table, known)) {
        if (!boxes.some(isForeign)) continue;
        found.push({ name, vital: table.vital });
        break;
      }
    return found;
  }

  /** Once over the table. `lost`: rows that were written meanwhile, perhaps with old boxes beside new ones. */
  private async pass(table: SealedSecrets, kek: string, witness?: Witness<Rewrapped>): Promise<Pass> {
    const prefix = prefixOf(kek);
    const whole: Pass = { rewrapped: 0, lost: 0, failed: [] };
    for await (const rows of this.chunksOf(table, [prefix])) {
      const anew = rows.map((row) => this.rowAnew(row, prefix));
      whole.failed.push(...anew.filter(({ complete }) => !complete).map(({ name }) => name));
      const { won, lost } = await this.write(table, anew, kek, witness);
      whole.rewrapped += won.reduce((sum, { boxes }) => sum + boxes, 0);
      whole.lost += lost;
    }
    return whole;
  }

  /** One transaction. `lost` as of a pass. */
  private async write(table: SealedSecrets, anew: readonly RowAnew[], kek: string, witness?: Witness<Rewrapped>) {
    const changed = anew.filter(({ boxes }) => boxes > 0);
    if (changed.length === 0) return { won: [], lost: 0 };
    return this.dialect.transaction(async (tx) => {
      const won: RowAnew[] = [];
      for (const row of changed) if (await table.replace(tx, row.id, row.before, row.after)) won.push(row);
      if (won.length > 0) await witness?.(tx, null, { kek, owners: won.map(({ name }) => name) });
      return { won, lost: changed.length - won.length };
    });
  }

  /** `complete`: no box of it is left wrapped by another key. */
  private rowAnew({ id, name, text, boxes, owner }: SealedRow, prefix: string): RowAnew {
    const old = boxes.filter((box) => !box.startsWith(prefix));
    const anew = old.flatMap((box) => {
      const wrapped = this.wrappedAnew(box, owner);
      return wrapped === null ? [] : [[box, wrapped] as const];
    });
    const after = anew.reduce((whole, [box, wrapped]) => whole.replace(box, wrapped), text);
    return { id, name, before: text, after, boxes: anew.length, complete: anew.length === old.length };
  }

  /** null if its own key is not loaded, or it is damaged. */
  private wrappedAnew(box: string, owner: SecretOwner): string | null {
    try {
      return rewrapSecret(box, owner, this.keyring);
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }

  private async *rowsOf(table: SealedSecrets, prefixes: readonly string[]): AsyncGenerator<SealedRow> {
    for await (const rows of this.chunksOf(table, prefixes)) yield* rows;
  }

  private async *chunksOf(table: SealedSecrets, prefixes: readonly string[]): AsyncGenerator<SealedRow[]> {
    for (let after: SealedId | null = null; ; ) {
      const rows: SealedRow[] = await table.notWrappedBy(prefixes, after, CHUNK);
      yield rows;
      if (rows.length < CHUNK) return;
      after = (rows.at(-1) as SealedRow).id;
    }
  }
}

interface Pass {
  /** Secrets. */
  rewrapped: number;
  lost: number;
  failed: string[];
}
interface RowAnew {
  id: SealedId;
  name: string;
  before: string;
  after: string;
  /** How many of its boxes were wrapped anew. */
  boxes: number;
  complete: boolean;
}
