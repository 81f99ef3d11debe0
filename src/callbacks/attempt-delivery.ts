import { Injectable } from '@nestjs/common';
import { classOf } from '../decisions/callback-schedule.js';
import type { DeliveryKind } from '../decisions/callback-turn.js';
import { webhookSignature } from '../decisions/webhook-signature.js';
import { answeredHeaders, type CallTrace, sentHeaders, type WireRecord } from '../decisions/wire-record.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { SqlDialect } from '../ports.js';
import { CallFailed } from './call-failed.js';
import { CallbackPolicy } from './callback-policy.js';
import type { AttemptResult, ClaimedSend } from './callbacks.js';
import { EndpointStore } from './endpoint.store.js';
import { type GuardedAnswer, GuardedHttp } from './guarded-http.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Owner of the secret that signs callbacks without an endpoint. */
export const DEFAULT_SECRET = 'default';
export const VERIFICATION = 'endpoint.verification';
export const PING = 'webhook.ping';
export const kindOf = (eventType: string): DeliveryKind =>
  eventType === VERIFICATION ? 'challenge' : eventType === PING ? 'test' : 'event';
const KEPT_RESPONSE = 1024;

/** One HTTP exchange of a delivery. Decides nothing and writes nothing: it says how it went. */
@Injectable()
export class AttemptDelivery {
  private readonly userAgent: string;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly policy: CallbackPolicy,
    private readonly http: GuardedHttp,
    private readonly endpoints: EndpointStore,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.userAgent = callbackUserAgent(config);
  }

  /** Rejects only with the signal's reason, or when the secrets cannot be read. */
  async attempt(send: ClaimedSend, signal: AbortSignal): Promise<AttemptResult> {
    const startedAt = Math.round(this.clock.now());
    const began = this.clock.monotonic();
    const headers = await this.headersOf(send, startedAt);
    const told = await this.exchange(send, headers, signal);
    const durationMs = Math.round(this.clock.monotonic() - began);
    return {
      startedAt,
      durationMs,
      ...told,
      class: classOf(told),
      verified: told.status !== null && answersChallenge(send, told.body),
    };
  }

  private async exchange(send: ClaimedSend, headers: Record<string, string>, signal: AbortSignal) {
    const none = { status: null, retryAfter: null, response: null, body: '' };
    const refusal = this.policy.refusalOf(send.appId, send.url);
    if (refusal !== null) return { ...none, failure: 'blocked' as const, wire: wireOf({}, headers, null, refusal) };
    const trace: CallTrace = {};
    try {
      const url = new URL(send.url);
      // What answers a challenge is in the body; everything else is told by the status.
      const statusSuffices = send.eventType !== VERIFICATION;
      const answer = await this.http.call({ url, method: 'POST', headers, body: send.body, signal, statusSuffices, trace });
      return { ...factsOf(answer), wire: wireOf(trace, headers, answer, null) };
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      const { failure, guard } = error;
      return { ...none, failure, wire: wireOf(trace, headers, null, failure === 'blocked' ? guard : null) };
    }
  }

  private async headersOf(send: ClaimedSend, now: number): Promise<Record<string, string>> {
    const timestamp = Math.floor(now / 1000);
    const secrets = await this.secretsOf(send, now);
    return {
      'content-type': 'application/json',
      'user-agent': this.userAgent,
      'webhook-id': send.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(secrets, send.eventId, timestamp, send.body),
      'x-ek-event-type': send.eventType,
      'x-ek-attempt': String(send.attempts + 1),
    };
  }

  private async secretsOf({ appId, endpointId, endpoint }: ClaimedSend, now: number): Promise<string[]> {
    if (endpointId !== null) return this.secrets.open(endpoint?.secrets ?? [], appId, endpointId, now);
    const app = await this.endpoints.app(this.dialect.root, appId);
    return this.secrets.open(app?.secrets ?? [], appId, DEFAULT_SECRET, now);
  }
}

/** Who calls, and the page that explains it; no page while nobody said at which address this centre is reached. */
function callbackUserAgent({ publicUrl, openapiPublicPrefix }: Config): string {
  const page = publicUrl && new URL(`${openapiPublicPrefix}/openapi/docs`, publicUrl);
  return page ? `Evenkeel-Webhooks/1.0 (+${page.href})` : 'Evenkeel-Webhooks/1.0';
}

function wireOf(
  { sent, ...timing }: CallTrace,
  headers: Record<string, string>,
  answer: GuardedAnswer | null,
  refusedBy: string | null,
): WireRecord {
  return {
    requestHeaders: sent ? sentHeaders(headers) : null,
    timing,
    responseHeaders: answer && answeredHeaders(answer.headers),
    responseBytes: answer?.body.length ?? 0,
    responseCut: answer?.truncated ?? false,
    refusedBy,
  };
}

function factsOf({ status, headers, body }: GuardedAnswer) {
  const text = body.toString('utf8');
  const retryAfter = headers['retry-after'] ?? null;
  const response = readable(body.subarray(0, KEPT_RESPONSE).toString('utf8'));
  return { status, failure: null, retryAfter, response: response === '' ? null : response, body: text };
}

function answersChallenge({ eventType, endpoint }: ClaimedSend, body: string): boolean {
  if (eventType !== VERIFICATION || !endpoint) return false;
  try {
    return (JSON.parse(body) as { challenge?: unknown } | null)?.challenge === endpoint.challenge;
  } catch {
    return false;
  }
}

/** What a person reads later: a control character can do nothing there. */
const readable = (text: string): string => text.replace(/\p{Cc}/gu, (each) => (each === '\n' || each === '\t' ? each : '\ufffd'));
