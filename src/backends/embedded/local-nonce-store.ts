import { NonceStore } from '../../ports.js';

const SWEEP_EVERY_MS = 5000;

/** Nonces of this process, each until its ttl has passed. A restart forgets them, so what was signed before it is no longer known to be new. */
export class LocalNonceStore extends NonceStore {
  readonly outlivesProcess = false;
  private readonly expiresAt = new Map<string, number>();
  private sweptAt = performance.now();

  async claim(accessKey: string, nonce: string, _signedAt: number, ttlMs: number): Promise<boolean> {
    const now = performance.now();
    this.sweep(now);
    const name = `${accessKey} ${nonce}`;
    if ((this.expiresAt.get(name) ?? 0) > now) return false;
    this.expiresAt.set(name, now + ttlMs);
    return true;
  }

  private sweep(now: number): void {
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    for (const [name, expiresAt] of this.expiresAt) if (expiresAt <= now) this.expiresAt.delete(name);
  }
}
