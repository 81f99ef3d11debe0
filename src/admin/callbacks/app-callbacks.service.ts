import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { CallbackHostsService, revisionOfHosts } from '../../callbacks/callback-hosts.service.js';
import { hostsDeed, secretRotated } from '../../callbacks/hosts-deed.js';
import { PendingCallbacks } from '../../callbacks/pending-callbacks.js';
import { anyText, integer, rules } from '../../decisions/field-rules.js';
import type { AppCallbacks, RotateWebhookSecret, SetCallbackHosts, SetCallbacks } from '../contract/callbacks.js';
import { ConsoleAppsService } from '../keys/console-apps.service.js';
import { bodyOf, listOf, reasonRule, staleChange } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { GRACE } from './console-endpoints.service.js';

const SET = rules({ revision: anyText(64), hosts: listOf(anyText(253), 100), reason: reasonRule });
const ROTATE = rules({ graceSeconds: integer(0, GRACE.most), reason: reasonRule });

/** Where the results of an app may go. */
@Injectable()
export class AppCallbacksService {
  constructor(
    private readonly hosts: CallbackHostsService,
    private readonly pending: PendingCallbacks,
    private readonly apps: ConsoleAppsService,
    private readonly trail: Trail,
  ) {}

  async get(id: string): Promise<AppCallbacks> {
    const app = await this.apps.found(id);
    const { pendingCallbacks: limit } = app.limits;
    const hosts = await this.hosts.of(app.id);
    return { hosts, pending: this.pending.of(app.id), limit, revision: revisionOfHosts(hosts) };
  }

  async set(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<SetCallbacks> {
    const { revision, hosts, reason } = bodyOf<SetCallbackHosts>(request, SET, ['hosts']);
    const app = await this.apps.found(id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), hostsDeed(id));
    const outcome = await this.hosts.set(app.id, hosts, witness, revision);
    if (outcome === 'stale') throw staleChange('the callback hosts', await this.get(id));
    const after = await this.hosts.of(app.id);
    return { hosts: after, revision: revisionOfHosts(after), secret: outcome.secret };
  }

  async rotate(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<{ secret: string }> {
    const { graceSeconds = GRACE.seconds, reason } = bodyOf<RotateWebhookSecret>(request, ROTATE);
    const app = await this.apps.found(id);
    const author = authorOf(request.caller, reply, reason);
    const what = secretRotated(id, graceSeconds);
    return { secret: await this.hosts.rotateSecret(app.id, graceSeconds * 1_000, (tx) => this.trail.write(tx, author, what)) };
  }
}
