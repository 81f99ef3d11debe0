import { Injectable } from '@nestjs/common';
import { type AuditNote, AuditService } from '../auth/audit.service.js';
import { endpointFacts } from '../callbacks/callback-trail.js';
import type { Endpoint } from '../callbacks/callbacks.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { Job } from '../jobs/job.js';
import type { Backfill } from '../jobs/job-backfill.js';
import { jobDeed } from '../jobs/job-deed.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { type Deed, deedEntry, type Witness } from '../platform/witness.js';
import type { Sql } from '../ports.js';
import { backfillViewOf } from './job-history.view.js';

type What = Pick<AuditNote, 'action' | 'object' | 'group' | 'reason'> & { before?: object | null; after?: object | null };

/**
 * Logs what partners change about their jobs and endpoints, in the change's own transaction: which app by which key, from where. What
 * they submit is in the timelines of the tasks instead.
 */
@Injectable()
export class PartnerTrail {
  constructor(
    private readonly audit: AuditService,
    private readonly groups: GroupsService,
  ) {}

  endpoint(request: PartnerRequest, action: string): Witness<Endpoint> {
    return this.of(request, { action, type: 'endpoint', id: ({ id }) => id, show: endpointFacts });
  }

  job(request: PartnerRequest, action: string, reason: string | null = null): Witness<Job> {
    return this.of(request, jobDeed(action, this.groups), reason);
  }

  backfill(request: PartnerRequest, job: Job): Witness<Backfill> {
    const group = () => this.groups.byId(job.groupId)?.key ?? null;
    return this.of(request, { action: 'backfill.started', type: 'job', id: () => job.id, group, show: backfillViewOf });
  }

  /** Of what is no change of one row, or none that could be shown before and after. */
  async write(tx: Sql, { caller, ip, headers, id: requestId }: PartnerRequest, { before, after, ...what }: What): Promise<void> {
    const shown = (facts: object | null | undefined) => facts && { app: caller.appPublicId, ...facts };
    await this.audit.write(tx, {
      actor: `key:${caller.accessKey}`,
      actorIp: ip,
      userAgent: headers['user-agent'] ?? null,
      requestId,
      ...what,
      before: shown(before),
      after: shown(after),
    });
  }

  private of<T>(request: PartnerRequest, deed: Deed<T>, reason: string | null = null): Witness<T> {
    return (tx, before, after) => this.write(tx, request, { ...deedEntry(deed, before, after), reason });
  }
}
