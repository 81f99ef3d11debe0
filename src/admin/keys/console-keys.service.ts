import type { FieldErrorCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PARTNER_SCOPES } from '../../auth/access-key-rules.js';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import type { AccessKeyRow } from '../../auth/access-keys.store.js';
import { AppsService } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { keyDeed } from '../../auth/key-deed.js';
import { addressList } from '../../auth/loaded-key.js';
import { anyText, integer, oneOf, type Rule, rules, text, typeOf } from '../../decisions/field-rules.js';
import { type Said, said } from '../../decisions/field-sentences.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import type { Deed } from '../../platform/witness.js';
import type { ChangeKey, CreatedKey, CreateKey, KeyList, KeyView, RotateKey } from '../contract/keys.js';
import {
  bodyOf,
  instantRule,
  listOf,
  notFound,
  orNull,
  queryOf,
  REASON_ONLY,
  REASON_QUERY,
  reasonRule,
  shortText,
  staleChange,
  words,
} from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { KeyViews } from './key-views.js';

const address: Rule = (value, pointer, findings) => {
  try {
    addressList([String(value)]);
    if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
  } catch {
    findings.add(pointer, 'bad_format', said('address_form'));
  }
};
const label = text(128, /\S/, 'must not be blank');
const scopes = listOf(oneOf(PARTNER_SCOPES), PARTNER_SCOPES.length);
const ipAllow = listOf(address, 100);
const groups = listOf(anyText(64), 1_000);
const CREATE = rules({
  kind: oneOf(['partner', 'worker']),
  label,
  app: anyText(64),
  scopes,
  groups,
  ipAllow,
  expiresAt: instantRule,
});
const CHANGE = rules({
  revision: anyText(64),
  label,
  scopes,
  groups,
  ipAllow: orNull(ipAllow),
  expiresAt: orNull(instantRule),
  reason: reasonRule,
});
const OVERLAP_SECONDS = { usual: 86_400, most: 30 * 86_400 } as const;
const ROTATE = rules({ overlapSeconds: integer(0, OVERLAP_SECONDS.most), reason: reasonRule });
const QUERY = { app: shortText(64), kind: words(['partner', 'worker']), state: words(['active', 'disabled', 'expired']) };

/** Key pairs of partners and workers. A secret leaves this room once, in the answer that creates it. */
@Injectable()
export class ConsoleKeysService {
  constructor(
    private readonly keys: AccessKeysService,
    private readonly apps: AppsService,
    private readonly groups: GroupsService,
    private readonly clock: Clock,
    private readonly trail: Trail,
    private readonly views: KeyViews,
  ) {}

  async list(request: ConsoleRequest): Promise<KeyList> {
    const { app, kind, state } = queryOf(request, QUERY);
    const views = await this.views.of(await this.keys.all());
    const items = views.filter(
      (key) =>
        (app === undefined || key.app?.id === app) &&
        (kind === undefined || key.kind === kind) &&
        (state === undefined || key.state === state),
    );
    return { items };
  }

  async get(accessKey: string): Promise<KeyView> {
    const row = await this.keys.describe(accessKey);
    if (!row) throw notFound('access key');
    return this.viewOf(row);
  }

  async create(request: ConsoleRequest, reply: FastifyReply): Promise<CreatedKey> {
    const stated = bodyOf<CreateKey>(request, CREATE, ['kind', 'label']);
    const { label, ipAllow } = stated;
    const expiresAt = this.future(stated.expiresAt);
    const shared = { label, ipAllow, createdBy: actorOf(request), ...(expiresAt === null ? {} : { expiresAt }) };
    const witness = this.trail.of(authorOf(request.caller, reply), await this.deed('key.created'));
    if (stated.kind === 'worker') {
      if (!Array.isArray(stated.groups) || stated.groups.length === 0) throw fieldError('/groups', 'required', said('required'));
      this.checkGroups(stated.groups);
      return this.created(await this.keys.create({ ...shared, kind: 'worker', groups: stated.groups }, witness));
    }
    const app = typeof stated.app === 'string' ? await this.apps.findByPublicId(stated.app) : null;
    if (!app) throw fieldError('/app', 'not_allowed', said('no_app'));
    return this.created(await this.keys.create({ ...shared, kind: 'partner', appId: app.id, scopes: stated.scopes }, witness));
  }

  async change(request: ConsoleRequest, reply: FastifyReply, accessKey: string): Promise<KeyView> {
    const { reason, revision, label, scopes, groups, ipAllow, expiresAt } = bodyOf<ChangeKey>(request, CHANGE);
    const { kind } = await this.get(accessKey);
    if (groups && kind === 'partner') throw fieldError('/groups', 'not_allowed', said('app_groups'));
    if (scopes && kind === 'worker') throw fieldError('/scopes', 'not_allowed', said('partner_scopes'));
    if (groups) this.checkGroups(groups);
    const change = {
      revision,
      ...(label === undefined ? {} : { label }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(groups === undefined ? {} : { groups }),
      ...(ipAllow === undefined ? {} : { ipAllow }),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : Date.parse(expiresAt) }),
    };
    const witness = this.trail.of(authorOf(request.caller, reply, reason), await this.deed('key.changed'));
    const row = await this.keys.change(accessKey, change, witness);
    if (!row) throw notFound('access key');
    if (row === 'stale') throw staleChange('the key', await this.get(accessKey));
    return this.viewOf(row);
  }

  async rotate(request: ConsoleRequest, reply: FastifyReply, accessKey: string): Promise<CreatedKey> {
    const { overlapSeconds = OVERLAP_SECONDS.usual, reason } = bodyOf<RotateKey>(request, ROTATE);
    const { state } = await this.get(accessKey);
    if (state !== 'active') throw AppError.because('state_conflict', 'key_not_rotated', { keyState: state });
    const witness = this.trail.of(authorOf(request.caller, reply, reason), await this.deed('key.rotated'));
    const created = await this.keys.rotate(accessKey, overlapSeconds * 1_000, witness, actorOf(request));
    if (!created) throw notFound('access key');
    return this.created(created);
  }

  async setState(request: ConsoleRequest, reply: FastifyReply, accessKey: string, to: 'enable' | 'disable'): Promise<KeyView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), await this.deed(`key.${to}d`));
    if (!(await this.keys[to](accessKey, witness))) throw notFound('access key');
    return this.get(accessKey);
  }

  async remove(request: ConsoleRequest, reply: FastifyReply, accessKey: string): Promise<void> {
    const { reason } = queryOf(request, REASON_QUERY);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), await this.deed('key.deleted'));
    const removed = await this.keys.remove(accessKey, witness);
    if (removed === 'not_found') throw notFound('access key');
    if (removed === 'active') throw AppError.because('state_conflict', 'key_active');
  }

  private async created({ accessKey, secret }: { accessKey: string; secret: string }): Promise<CreatedKey> {
    return { key: await this.get(accessKey), secret };
  }

  private async deed(action: string): Promise<Deed<AccessKeyRow>> {
    return keyDeed(action, await this.views.apps(), (key) => this.keys.isActive(key));
  }

  private async viewOf(row: AccessKeyRow): Promise<KeyView> {
    const [view] = await this.views.of([row], row.appId === null ? [row] : await this.keys.list(row.appId));
    return view as KeyView;
  }

  private future(expiresAt: string | undefined): number | null {
    if (expiresAt === undefined) return null;
    const at = Date.parse(expiresAt);
    if (at <= this.clock.now()) throw fieldError('/expiresAt', 'out_of_range', said('future'));
    return at;
  }

  private checkGroups(stated: readonly string[]): void {
    stated.forEach((key, index) => {
      if (!this.groups.byKey(key)) throw fieldError(`/groups/${index}`, 'not_allowed', said('not_a_group'));
    });
  }
}

const actorOf = ({ caller }: ConsoleRequest): string => `user:${caller.username}`;
const fieldError = (pointer: string, code: FieldErrorCode, words: Said): AppError =>
  AppError.fields([{ pointer, code, ...words }]);
