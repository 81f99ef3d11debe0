/** Where a call ended before a usable answer. `blocked`: the policy refused the address, which is never told. */
export const CALL_FAILURES = ['dns', 'connect', 'tls', 'timeout', 'http', 'too_large', 'blocked'] as const;
export type CallFailure = (typeof CALL_FAILURES)[number];

/** No answer. The message holds a code of the failure at most: no address, no header, nothing of the body. */
export class CallFailed extends Error {
  constructor(
    readonly failure: CallFailure,
    message: string,
    override readonly cause?: unknown,
    /** Which guard, of a call that was blocked: what the name leads to, a port of this centre there, or where the socket arrived. */
    readonly guard: 'address' | 'own_port' | 'peer' = 'address',
  ) {
    super(message);
    this.name = 'CallFailed';
  }
}
