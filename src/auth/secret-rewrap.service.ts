import { Injectable } from '@nestjs/common';
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
  replace(id: SealedId, before: string, after: string): Promise<boolean>;
}
export interface RewrapAnswer {
  /** Id of the key that wraps all of them now. */
  current: string;
  rewrapped: number;
  /** Names of those whose own key is not loaded or that are damaged; they are left as they were. */
  failed: string[];
}

const CHUNK = 100;
const prefixOf = (kekId: string): string => `v1.${kekId}.`;

/**
 * Wraps the data key of every stored secret with the current key of the ring; the secrets themselves are not touched or read. Each
 * row is one conditional update, so it may be stopped anywhere, run twice, or run beside writers and nodes: what is done is passed
 * over, and a row written meanwhile is looked at again. The old key may be taken from EK_KEKS when nothing failed and no node
 * runs with it as the current one.
 */
@Injectable()
export class SecretRewrapService {
  private readonly tables: SealedSecrets[] = [];

  constructor(private readonly keyring: Keyring) {}

  /** Modules with sealed secrets name their tables here when they start. */
  register(table: SealedSecrets): void {
    this.tables.push(table);
  }

  async rewrapAll(): Promise<RewrapAnswer> {
    const current = this.keyring.current.id;
    const answer: RewrapAnswer = { current, rewrapped: 0, failed: [] };
    for (const table of this.tables) {
      for (let lost = true; lost; ) {
        const pass = await this.pass(table, prefixOf(current));
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
  private async pass(table: SealedSecrets, prefix: string): Promise<{ rewrapped: number; lost: number; failed: string[] }> {
    const pass = { rewrapped: 0, lost: 0, failed: [] as string[] };
    for await (const { id, text, boxes, owner, name } of this.rowsOf(table, [prefix])) {
      const old = boxes.filter((box) => !box.startsWith(prefix));
      const anew = old.flatMap((box) => {
        const wrapped = this.wrappedAnew(box, owner);
        return wrapped === null ? [] : [[box, wrapped] as const];
      });
      if (anew.length < old.length) pass.failed.push(name);
      if (anew.length === 0) continue;
      const after = anew.reduce((whole, [box, wrapped]) => whole.replace(box, wrapped), text);
      if (await table.replace(id, text, after)) pass.rewrapped += anew.length;
      else pass.lost += 1;
    }
    return pass;
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
    for (let after: SealedId | null = null; ; ) {
      const rows: SealedRow[] = await table.notWrappedBy(prefixes, after, CHUNK);
      yield* rows;
      if (rows.length < CHUNK) return;
      after = (rows.at(-1) as SealedRow).id;
    }
  }
}
