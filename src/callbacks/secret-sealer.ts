import type { Sql } from '../ports.js';

/** The box is sealed with a key that this process was not given; which, by its id. */
export class SealingKeyMissing extends Error {
  constructor(readonly keyId: string) {
    super('the key that seals the secret is missing');
    this.name = 'SealingKeyMissing';
  }
}

/** Keeps secrets of receivers sealed in the database. Implemented with the keyring of the installation. */
export abstract class SecretSealer {
  /** `owner` is authenticated with the secret: a box copied to another row does not open. */
  abstract seal(secret: string, appId: number, owner: string): string;
  /** Throws when the box is another's or damaged, and SealingKeyMissing when this process does not have its key. */
  abstract open(box: string, appId: number, owner: string): string;
}

/** The sealed secrets of one row, all of one owner. */
export interface SealedList {
  id: number | string;
  appId: number;
  owner: string;
  /** What an operator knows it by. */
  name: string;
  /** The column as it is stored, JSON of boxes and when each ends. */
  text: string;
  /** Those that have not ended. */
  boxes: string[];
}
/** A column of sealed secrets. */
export interface SealedColumn {
  /** Rows above `after` (null: from the first) of which some box begins with none of the prefixes, ids ascending. */
  notWrappedBy(prefixes: readonly string[], after: number | string | null, limit: number): Promise<SealedList[]>;
  /** Replaces the text if it is still the one that was read; false if it was written meanwhile. */
  replace(tx: Sql, id: number | string, before: string, after: string): Promise<boolean>;
}

/** Where sealed secrets are kept: told to whoever wraps them with other keys. A column nobody told of is lost with the old key. */
export abstract class SealedColumns {
  abstract add(column: SealedColumn): void;
}
