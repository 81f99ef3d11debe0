/**
 * No answer came back. `refused`: nobody listens there (at once and certain). `silent`: nothing was heard in time; the other side
 * may be alive and may have acted. `broken`: the connection failed in another way; it may have acted.
 */
export type TransportFailure = 'refused' | 'silent' | 'broken';

export class TransportError extends Error {
  constructor(
    readonly failure: TransportFailure,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'TransportError';
  }
}
