import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SealedSecret } from './callbacks.js';
import { SecretSealer } from './secret-sealer.js';

/** Signing receivers' old and new secrets at once: this one and so many before it. */
const OLD_SECRETS = 2;

/** The secrets callbacks are signed with: `whsec_` and base64 of 32 random bytes. In plain text only while one is signed or shown once. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly sealer: SecretSealer) {}

  make(appId: number, owner: string): { secret: string; sealed: SealedSecret } {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    return { secret, sealed: { box: this.sealer.seal(secret, appId, owner), until: null } };
  }

  /** The new one first; the one it replaces goes on for `graceMs`, at most two older ones with it. */
  rotated(current: readonly SealedSecret[], fresh: SealedSecret, graceMs: number, now: number): SealedSecret[] {
    const until = now + graceMs;
    const old = current
      .map((secret) => ({ ...secret, until: Math.min(secret.until ?? until, until) }))
      .filter((secret) => secret.until > now);
    return [fresh, ...old.slice(0, OLD_SECRETS)];
  }

  /**
   * In plain text, newest first: those that sign now. One that does not open, its key having been lost, keeps no newer one from signing;
   * throws what the newest throws if none opens.
   */
  open(secrets: readonly SealedSecret[], appId: number, owner: string, now: number): string[] {
    const current = secrets.filter(({ until }) => until === null || until > now);
    const opened: string[] = [];
    let failure: unknown;
    for (const { box } of current)
      try {
        opened.push(this.sealer.open(box, appId, owner));
      } catch (error) {
        failure ??= error;
      }
    if (opened.length === 0 && current.length > 0) throw failure;
    return opened;
  }
}
