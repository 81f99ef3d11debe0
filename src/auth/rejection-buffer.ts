import type { ProblemCode } from '@evenkeel/sdk/contract';

export interface Rejection {
  /** The access key as it was sent; empty for none or one that is malformed. */
  claimed: string;
  /** Epoch milliseconds. */
  at: number;
  code: ProblemCode;
  detail: string;
  method: string;
  target: string;
  address: string;
  timestamp: string | null;
  nonce: string | null;
  signature: string | null;
  bodyDigest: string | null;
  bodyBytes: number;
}
export interface CountedRejection extends Rejection {
  /** The list it waits in: the claimed key, or empty. */
  name: string;
  /** The key is known to exist. */
  known: boolean;
  /** Like it, and not kept. */
  more: number;
}
interface Line {
  newest: Rejection;
  more: number;
}
interface Bucket {
  known: boolean;
  lines: Map<string, Line>;
}

/** Names nobody knows that have a list of their own for a moment; beyond them all share the nameless one. */
const STRANGERS = 100;
const LINES = 10;
const MINUTE = 60_000;
/** One cause from one address of one key. */
const ROWS_A_MINUTE = 10;
const CAUSES = 5_000;

/**
 * Refused requests until they are written: per key at most ten different ones, alike ones counted. Its size is bounded by the number of
 * keys that exist, whatever is sent; a flood from one address fills neither the lists of others nor, for long, that of its key.
 */
export class RejectionBuffer {
  private readonly buckets = new Map<string, Bucket>();
  private strangers = 0;
  private minute = 0;
  private written = new Map<string, number>();

  get isEmpty(): boolean {
    return this.buckets.size === 0;
  }

  add(rejection: Rejection, known: boolean): void {
    const { name, bucket } = this.bucketOf(rejection.claimed, known);
    if (known && !bucket.known && name !== '') {
      bucket.known = true;
      this.strangers -= 1;
    }
    const { code, address, method, target } = rejection;
    const key = `${code} ${address} ${method} ${target.split('?', 1)[0]}`;
    const line = bucket.lines.get(key) ?? (bucket.lines.size >= LINES ? lastOf(bucket.lines) : undefined);
    if (line) {
      line.more += 1;
      if (bucket.lines.has(key)) line.newest = rejection;
    } else bucket.lines.set(key, { newest: rejection, more: 0 });
  }

  /**
   * At most `most`: first of keys that exist, a fifth left for the others, one of each in turn. What is left waits for the next call,
   * and so does a cause that was told often enough this minute.
   */
  take(most: number, now: number): CountedRejection[] {
    const minute = Math.floor(now / MINUTE);
    if (minute !== this.minute) {
      this.minute = minute;
      this.written = new Map();
    }
    const taken: CountedRejection[] = [];
    this.takeTurns(taken, most - Math.floor(most / 5), (bucket) => bucket.known);
    this.takeTurns(taken, most, (bucket) => !bucket.known);
    this.takeTurns(taken, most, (bucket) => bucket.known);
    return taken;
  }

  private takeTurns(taken: CountedRejection[], most: number, of: (bucket: Bucket) => boolean): void {
    for (let any = true; any && taken.length < most; ) {
      any = false;
      for (const [name, bucket] of [...this.buckets].filter(([, each]) => of(each))) {
        if (taken.length >= most) break;
        const found = [...bucket.lines].find(([, { newest }]) => this.mayTell(name, newest));
        if (!found) continue;
        any = true;
        const [key, { newest, more }] = found;
        bucket.lines.delete(key);
        taken.push({ ...newest, name, known: bucket.known, more });
        // To the end, so that the next round begins with who waits longest.
        this.buckets.delete(name);
        if (bucket.lines.size > 0) this.buckets.set(name, bucket);
        else if (!bucket.known && name !== '') this.strangers -= 1;
      }
    }
  }

  private bucketOf(claimed: string, known: boolean): { name: string; bucket: Bucket } {
    const found = this.buckets.get(claimed);
    if (found) return { name: claimed, bucket: found };
    const isStranger = !known && claimed !== '';
    if (isStranger && this.strangers >= STRANGERS) return this.bucketOf('', false);
    if (isStranger) this.strangers += 1;
    const bucket: Bucket = { known: known && claimed !== '', lines: new Map() };
    this.buckets.set(claimed, bucket);
    return { name: claimed, bucket };
  }

  private mayTell(name: string, { code, address }: Rejection): boolean {
    const cause = `${name} ${code} ${address}`;
    const count = this.written.get(cause) ?? 0;
    if (count >= ROWS_A_MINUTE || (count === 0 && this.written.size >= CAUSES)) return false;
    this.written.set(cause, count + 1);
    return true;
  }
}

const lastOf = (lines: ReadonlyMap<string, Line>): Line | undefined => [...lines.values()].at(-1);
