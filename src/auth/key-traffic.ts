import { EK1_HEADERS, EK1_PATTERNS } from '@evenkeel/sdk/contract';
import { Injectable, Optional } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isRejection, keptText } from '../decisions/rejections.js';
import { Clock } from '../platform/clock.js';
import { AnsweredRequests, type Refusal } from '../platform/http/answered-requests.js';
import type { CallerRequest } from '../platform/http/request.js';
import { AccessKeysService } from './access-keys.service.js';
import { KeyNews } from './key-news.js';
import { KeyUsage } from './key-usage.js';
import { RejectedRequests } from './rejected-requests.js';
import { SignatureCheck, type SignedAudience } from './signature-check.js';

const KEY_LENGTH = 48;
const SHORT = 64;
const TARGET_LENGTH = 2_048;
const FORM = { partner: EK1_PATTERNS.partnerKey, worker: EK1_PATTERNS.workerKey } as const;

/** Looks at every signed request once it is answered: how its key was used, or why it was refused. In memory alone. */
@Injectable()
export class KeyTraffic {
  constructor(
    private readonly keys: AccessKeysService,
    private readonly usage: KeyUsage,
    private readonly rejected: RejectedRequests,
    private readonly news: KeyNews,
    private readonly signatures: SignatureCheck,
    private readonly clock: Clock,
    /** A command answers none. */
    @Optional() answered?: AnsweredRequests,
  ) {
    answered?.onAnswer((request, status, refusal) => this.answered(request as CallerRequest, status, refusal));
  }

  private answered(request: CallerRequest, status: number, refusal: Refusal | null): void {
    const audience = audienceOf(request.raw.url ?? '');
    if (audience === null) return;
    const { caller } = request;
    const isRefused = refusal !== null && isRejection(refusal.code);
    if (caller) {
      const endpoint = `${request.method} ${request.routeOptions?.url ?? ''}`;
      this.usage.note({ accessKey: caller.accessKey, at: Math.floor(this.clock.now()), address: request.ip, endpoint });
    }
    if (isRefused) this.noteRefused(request, audience, refusal);
    else if (caller) this.news.used({ accessKey: caller.accessKey, requests: 1, failed: status >= 400 ? 1 : 0 });
  }

  private noteRefused(request: CallerRequest, audience: SignedAudience, { code, detail }: Refusal): void {
    const header = (name: string, length: number): string | null => {
      const value = request.headers[name];
      return typeof value === 'string' && value !== '' ? keptText(value, length) : null;
    };
    const sent = header(EK1_HEADERS.accessKey, KEY_LENGTH) ?? '';
    const claimed = FORM[audience].test(sent) ? sent : '';
    this.rejected.note(
      {
        claimed,
        at: Math.floor(this.clock.now()),
        code,
        detail: keptText(detail, 255),
        method: keptText(request.method, 16),
        target: keptText(this.signatures.targetOf(request as FastifyRequest, audience), TARGET_LENGTH),
        address: keptText(request.ip ?? '', SHORT),
        timestamp: header(EK1_HEADERS.timestamp, SHORT),
        nonce: header(EK1_HEADERS.nonce, SHORT),
        // What matches nothing opens nothing; any other could be sent again.
        signature: code === 'auth_failed' ? header(EK1_HEADERS.signature, 80) : null,
        bodyDigest: request.refusedDigest ?? null,
        bodyBytes: Number(request.headers['content-length'] ?? 0) || 0,
      },
      claimed !== '' && this.keys.isKnown(claimed),
    );
  }
}

function audienceOf(url: string): SignedAudience | null {
  if (url.startsWith('/openapi/v1/')) return 'partner';
  return url.startsWith('/worker/v1/') ? 'worker' : null;
}
