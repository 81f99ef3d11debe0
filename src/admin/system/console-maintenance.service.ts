import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { rules, text } from '../../decisions/field-rules.js';
import type { Maintenance } from '../../jobs/maintenance.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { AppError } from '../../platform/errors.js';
import type { Deed } from '../../platform/witness.js';
import type { HoldEverything, MaintenanceHold, MaintenanceView } from '../contract/system.js';
import { bodyOf, instantRule, iso, isoOrNull, REASON_ONLY } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';

const HOLD = rules({ reason: text(255, /\S/, 'must not be blank'), until: instantRule });

const deed = (action: string): Deed<Maintenance> => ({
  action,
  type: 'setting',
  id: () => 'maintenance',
  show: ({ reason, until }) => ({ reason, until: isoOrNull(until) }),
});

/** The hold on all dispatch, for whoever works on what tasks need. */
@Injectable()
export class ConsoleMaintenanceService {
  constructor(
    private readonly settings: SystemSettingsService,
    private readonly trail: Trail,
  ) {}

  view(): MaintenanceView {
    const { maintenance } = this.settings;
    return { hold: maintenance && viewOf(maintenance) };
  }

  async hold(request: ConsoleRequest, reply: FastifyReply): Promise<MaintenanceView> {
    const { reason, until } = bodyOf<HoldEverything>(request, HOLD, ['reason']);
    const author = authorOf(request.caller, reply, reason);
    const at = until === undefined ? null : Date.parse(until);
    await this.settings.hold(reason, at, author.actor, this.trail.of(author, deed('maintenance.held')));
    return this.view();
  }

  async release(request: ConsoleRequest, reply: FastifyReply): Promise<MaintenanceView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), deed('maintenance.released'));
    if (!(await this.settings.release(witness))) throw AppError.because('state_conflict', 'no_maintenance');
    return this.view();
  }
}

const viewOf = ({ reason, until, by, at }: Maintenance): MaintenanceHold => ({
  reason,
  until: isoOrNull(until),
  by,
  at: iso(at),
});
