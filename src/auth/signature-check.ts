import { EK1_PATTERNS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { harmlessTwice } from '../decisions/harmless-twice.js';
import {
  type Lookups,
  type NonceClaim,
  type RequestParts,
  type RequestVerdict,
  verifyRequest,
} from '../decisions/verify-request.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { parseJsonBody } from '../platform/http/json-body.js';
import { bodyBytes, type CallerRequest } from '../platform/http/request.js';
import { NonceStore, PortUnavailableError } from '../ports.js';
import { AccessKeysService } from './access-keys.service.js';
import { FailedAuthentications } from './failed-authentications.js';
import type { LoadedKey } from './loaded-key.js';
import { Strangers } from './strangers.js';

/** A request dated 300 s ahead stays valid for 600 s; a minute on top covers clocks. */
const NONCE_TTL_MS = 660_000;
export type SignedAudience = 'partner' | 'worker';
export type Verified = Extract<RequestVerdict<LoadedKey>, { ok: true }>;

/** Runs the verifier with this node's look-ups and turns its refusal into the answer. */
@Injectable()
export class SignatureCheck {
  /** Path a proxy strips before /openapi; partners sign the path they call. Never taken from a request. */
  private readonly publicPrefix: string;
  /** Unix seconds. */
  private readonly startedAt: number;
  private readonly lookups: Record<SignedAudience, Lookups<LoadedKey>>;

  constructor(
    keys: AccessKeysService,
    private readonly nonces: NonceStore,
    private readonly failures: FailedAuthentications,
    private readonly strangers: Strangers,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.publicPrefix = config.openapiPublicPrefix;
    const findKey = (accessKey: string) => keys.find(accessKey);
    this.startedAt = Math.floor(clock.now() / 1000);
    const claimNonce: Lookups<LoadedKey>['claimNonce'] = (...claim) => this.claimNonce(...claim);
    this.lookups = {
      partner: { keyPattern: EK1_PATTERNS.partnerKey, findKey, claimNonce, harmlessTwice: isHarmlessTwice },
      worker: { keyPattern: EK1_PATTERNS.workerKey, findKey, claimNonce: null, harmlessTwice: isHarmlessTwice },
    };
  }

  /** Path and query as the sender addressed them. */
  targetOf(request: FastifyRequest, audience: SignedAudience): string {
    return audience === 'partner' ? this.publicPrefix + request.raw.url : (request.raw.url ?? '');
  }

  /** Throws AppError; each refusal of one kind looks the same, whatever the cause. `tell` first hears of a known sender who is refused. */
  async verify(
    request: FastifyRequest,
    audience: SignedAudience,
    tell?: (caller: LoadedKey['caller']) => Promise<void>,
  ): Promise<Verified> {
    const nowMs = this.clock.now();
    if (audience === 'partner') this.strangers.check(request.ip);
    const claimed = request.headers['x-ek-access-key'];
    if (typeof claimed === 'string') this.failures.check(claimed, request.ip);
    const verdict = await verifyRequest(
      {
        method: request.raw.method ?? '',
        target: this.targetOf(request, audience),
        headers: request.headers,
        body: bodyBytes(request),
        ip: request.ip,
        nowMs,
      },
      this.lookups[audience],
    );
    if (verdict.ok) return verdict;
    if (audience === 'partner' && isUnproven(verdict.code)) await this.strangers.count(request.ip);
    if (verdict.code === 'auth_failed' && verdict.accessKey) await this.failures.count(verdict.accessKey, request.ip);
    if (verdict.known) await tell?.(verdict.known.caller);
    (request as CallerRequest).refusedDigest = verdict.bodyDigest;
    throw new AppError(verdict.code, verdict.detail, { members: serverTime(verdict.code, audience, nowMs) });
  }

  private async claimNonce(accessKey: string, nonce: string, timestamp: number): Promise<NonceClaim> {
    // It may have been claimed from the process before this one.
    if (timestamp < this.startedAt && !this.nonces.outlivesProcess) return 'unavailable';
    try {
      return (await this.nonces.claim(accessKey, nonce, timestamp, NONCE_TTL_MS)) ? 'fresh' : 'used';
    } catch (error) {
      if (error instanceof PortUnavailableError) return 'unavailable';
      throw error;
    }
  }
}

/** The request gave no proof of its sender. A replayed nonce or a disabled key comes after the proof. */
const isUnproven = (code: string): boolean =>
  code.startsWith('auth_') ||
  code === 'timestamp_out_of_range' ||
  code === 'invalid_request_target' ||
  code === 'content_digest_mismatch';

/** Workers learn the centre's clock from any 401 (epoch milliseconds), partners from a stale timestamp (RFC 3339). */
function serverTime(code: string, audience: SignedAudience, nowMs: number): Record<string, unknown> | undefined {
  const unauthenticated = code.startsWith('auth_') || code === 'timestamp_out_of_range' || code === 'nonce_reused';
  if (audience === 'worker') return unauthenticated ? { serverTime: nowMs } : undefined;
  return code === 'timestamp_out_of_range' ? { serverTime: new Date(nowMs).toISOString() } : undefined;
}

/** The public prefix may stand before the path. */
function isHarmlessTwice(parts: RequestParts): boolean {
  const path = parts.target.split('?', 1)[0] as string;
  return harmlessTwice(parts.method, path.slice(Math.max(0, path.indexOf('/openapi/'))), jsonOrNull(parts.body));
}

function jsonOrNull(body: Uint8Array): Record<string, unknown> | null {
  try {
    return parseJsonBody(Buffer.from(body)).value;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
