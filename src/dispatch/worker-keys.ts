/** The secrets orders are signed with. */
export abstract class WorkerKeys {
  /** null if the key does not exist or is not active. May throw when the database is away. */
  abstract secretOf(accessKey: string): Promise<string | null>;
}
