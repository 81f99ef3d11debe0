/** Keeps secrets of receivers sealed in the database. Implemented with the keyring of the installation. */
export abstract class SecretSealer {
  /** `owner` is authenticated with the secret: a box copied to another row does not open. */
  abstract seal(secret: string, appId: number, owner: string): string;
  /** Throws when the box is another's, damaged, or sealed with a key this process does not have. */
  abstract open(box: string, appId: number, owner: string): string;
}
