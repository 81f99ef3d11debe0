import { Injectable } from '@nestjs/common';
import { Keyring, rewrapSecret, SecretBoxError, type SecretOwner } from './secret-box.js';

/** A sealed secret as a table keeps it. */
export interface SealedRow {
  id: number;
  box: string;
  owner: SecretOwner;
  /** What an operator knows it by; never secret. */
  name: string;
}
/** A table that keeps sealed secrets. */
export interface SealedSecrets {
  /** Rows above `afterId` whose box does not begin with `prefix`, ids ascending. */
  notWrappedBy(prefix: string, afterId: number, limit: number): Promise<SealedRow[]>;
  /** Replaces the box if it is still the one that was read; false if it was written meanwhile. */
  replace(id: number, before: string, after: string): Promise<boolean>;
}
export interface RewrapAnswer {
  /** Id of the key that wraps all of them now. */
  current: string;
  rewrapped: number;
  /** Names of those whose own key is not loaded or that are damaged; they are left as they were. */
  failed: string[];
}

const CHUNK = 100;

/**
 * Wraps the data key of every stored secret with the current key of the ring; the secrets themselves are not touched or read. Each
 * row is one conditional update, so it may be stopped anywhere, run twice, or run beside writers and nodes: what is done is passed
 * over, and a row written meanwhile was wrapped by its writer. The old key may be taken from EK_KEKS when nothing failed and no node
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
    for (const table of this.tables) await this.rewrapTable(table, `v1.${current}.`, answer);
    return answer;
  }

  private async rewrapTable(table: SealedSecrets, prefix: string, answer: RewrapAnswer): Promise<void> {
    for (let afterId = 0; ; ) {
      const rows = await table.notWrappedBy(prefix, afterId, CHUNK);
      for (const { id, box, owner, name } of rows) {
        try {
          if (await table.replace(id, box, rewrapSecret(box, owner, this.keyring))) answer.rewrapped += 1;
        } catch (error) {
          if (!(error instanceof SecretBoxError)) throw error;
          answer.failed.push(name);
        }
      }
      if (rows.length < CHUNK) return;
      afterId = (rows.at(-1) as SealedRow).id;
    }
  }
}
