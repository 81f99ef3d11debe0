import { Injectable } from '@nestjs/common';
import { AuditService } from '../auth/audit.service.js';
import { endpointFacts } from '../callbacks/callback-trail.js';
import type { Endpoint } from '../callbacks/callbacks.js';
import type { PartnerRequest } from '../platform/http/request.js';
import type { Witness } from '../platform/witness.js';

/** Logs what partners change about their endpoints, in the change's own transaction: by which key, from where. */
@Injectable()
export class PartnerTrail {
  constructor(private readonly audit: AuditService) {}

  of({ caller, ip, headers, id: requestId }: PartnerRequest, action: string): Witness<Endpoint> {
    const app = caller.appPublicId;
    const shown = (endpoint: Endpoint | null) => endpoint && { app, ...endpointFacts(endpoint) };
    return async (tx, before, after) => {
      await this.audit.write(tx, {
        actor: `key:${caller.accessKey}`,
        actorIp: ip,
        userAgent: headers['user-agent'] ?? null,
        requestId,
        action,
        object: { type: 'endpoint', id: (after ?? before)?.id ?? null },
        before: shown(before),
        after: shown(after),
      });
    };
  }
}
