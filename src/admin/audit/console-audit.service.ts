import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppsService } from '../../auth/apps.service.js';
import { AuditService } from '../../auth/audit.service.js';
import type { AuditFilter, AuditOrder, AuditRow } from '../../auth/audit.store.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { ACTOR_KINDS, actorKindOf } from '../../decisions/actor-kind.js';
import { groupsWith, may } from '../../decisions/permissions.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { firstIdAt, isId } from '../../platform/ids.js';
import type { AuditEntry, AuditList } from '../contract/audit.js';
import { FILE_PARAMETERS, type ListFile, sendList } from '../export/list-file.js';
import { notOfThisOrder } from '../lanes.js';
import {
  cursorParameter,
  instantParameter,
  iso,
  limitParameter,
  PAGE,
  pageOf,
  queryOf,
  shortText,
  words,
} from '../request-parts.js';
import { authorOf } from '../trail.js';

const FILTERS = {
  actor: shortText(128),
  actorKind: words(ACTOR_KINDS),
  action: shortText(48),
  objectType: shortText(24),
  objectId: shortText(128),
  group: shortText(64),
  bulk: shortText(31),
  from: instantParameter,
  to: instantParameter,
};
/** By time, by who, by what they did: newest first in equal ones if the order is descending, oldest first if not. */
const SORT = { sort: words(['at', '-at', 'actor', '-actor', 'action', '-action'] as const) };
type Sort = NonNullable<ReturnType<typeof queryOf<typeof SORT>>['sort']>;
const COLUMNS: ListFile<AuditEntry>['columns'] = [
  ['id', ({ id }) => id],
  ['zone', (_, { zone }) => zone],
  ['at', (entry, { at }) => at(entry.at)],
  ['actor', ({ actor }) => actor],
  ['action', ({ action }) => action],
  ['objectType', ({ object }) => object.type],
  ['objectId', ({ object }) => object.id],
  ['group', ({ group }) => group],
  ['reason', ({ reason }) => reason],
  ['before', ({ before }) => (before === null ? null : JSON.stringify(before))],
  ['after', ({ after }) => (after === null ? null : JSON.stringify(after))],
  ['address', ({ actorIp }) => actorIp],
  ['userAgent', ({ userAgent }) => userAgent],
  ['requestId', ({ requestId }) => requestId],
  ['bulkId', ({ bulkId }) => bulkId],
  ['actorKind', ({ actorKind }) => actorKind],
  ['app', ({ app }) => app?.name ?? null],
];

/** The audit log as people read it: of the groups they see, and of what has no group only for global admins. */
@Injectable()
export class ConsoleAuditService {
  constructor(
    private readonly audit: AuditService,
    private readonly groups: GroupsService,
    private readonly apps: AppsService,
  ) {}

  async list(request: ConsoleRequest): Promise<AuditList> {
    const {
      limit = PAGE,
      cursor,
      sort = '-at',
      ...stated
    } = queryOf(request, {
      ...FILTERS,
      ...SORT,
      cursor: cursorParameter,
      limit: limitParameter,
    });
    return this.page(this.filter(request, stated), sort, cursor, limit);
  }

  /** The list as a file, one entry a line if no format is stated; the export is itself logged. */
  async export(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { format = 'ndjson', zone, sort = '-at', ...stated } = queryOf(request, { ...FILTERS, ...SORT, ...FILE_PARAMETERS });
    const filter = this.filter(request, stated);
    const { tell, ...author } = authorOf(request.caller, reply);
    tell(await this.audit.note({ ...author, action: 'audit.exported', object: { type: 'audit', id: null } }));
    const read: ListFile<AuditEntry>['read'] = async (cursor, limit) => {
      const { items, nextCursor } = await this.page(filter, sort, cursor, limit);
      return { rows: items, next: nextCursor };
    };
    await sendList(reply, { name: 'audit', columns: COLUMNS, read }, { format, zone });
  }

  private async page(
    filter: Omit<AuditFilter, 'limit' | 'before'>,
    sort: Sort,
    cursor: string | undefined,
    limit: number,
  ): Promise<AuditList> {
    const order = orderOf(sort);
    const before = cursor === undefined ? undefined : placeOf(cursor, order);
    const rows = await this.audit.list({ ...filter, order, before, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => (order.by === 'id' ? row.id : `${row.id}:${row[order.by]}`));
    return { items: await this.named(page.map(entryOf)), nextCursor };
  }

  /** What a partner did says in what it shows which app it was. */
  private async named(entries: Omit<AuditEntry, 'app'>[]): Promise<AuditEntry[]> {
    const apps = entries.some(({ actorKind }) => actorKind === 'partner') ? await this.apps.list() : [];
    const names = new Map(apps.map(({ publicId, name }) => [publicId, name]));
    return entries.map((entry) => {
      const { app: id } = ((entry.actorKind === 'partner' && (entry.after ?? entry.before)) || {}) as { app?: string };
      const name = id === undefined ? undefined : names.get(id);
      return { ...entry, app: id !== undefined && name !== undefined ? { id, name } : null };
    });
  }

  private filter(
    { caller }: ConsoleRequest,
    { group, bulk, from, to, ...stated }: Partial<Record<keyof typeof FILTERS, string | number>>,
  ): Omit<AuditFilter, 'limit' | 'before'> {
    const all = this.groups.all().map(({ key }) => key);
    const wanted = group === undefined ? all : [group as string];
    const everything = group === undefined && may(caller.rights, 'users.manage', null);
    return {
      ...(stated as Partial<AuditFilter>),
      bulkId: bulk as string | undefined,
      fromId: from === undefined ? undefined : firstIdAt('aud', from as number),
      toId: to === undefined ? undefined : firstIdAt('aud', to as number),
      ...(everything ? {} : { groups: groupsWith(caller.rights, 'audit.view', wanted) }),
    };
  }
}

const orderOf = (sort: Sort): AuditOrder => {
  const by = sort.replace('-', '') as 'at' | 'actor' | 'action';
  return { by: by === 'at' ? 'id' : by, way: sort.startsWith('-') ? 'DESC' : 'ASC' };
};

function placeOf(cursor: string, { by }: AuditOrder): AuditFilter['before'] {
  const colon = cursor.indexOf(':');
  const id = colon < 0 ? cursor : cursor.slice(0, colon);
  if (!isId('aud', id) || colon < 0 !== (by === 'id')) throw notOfThisOrder();
  return { id, value: colon < 0 ? undefined : cursor.slice(colon + 1) };
}

export function entryOf({
  objectType,
  objectId,
  beforeJson,
  afterJson,
  loggedAt,
  groupKey,
  ...row
}: AuditRow): Omit<AuditEntry, 'app'> {
  return {
    ...row,
    actorKind: actorKindOf(row.actor),
    at: iso(loggedAt),
    object: { type: objectType, id: objectId },
    group: groupKey,
    before: beforeJson === null ? null : JSON.parse(beforeJson),
    after: afterJson === null ? null : JSON.parse(afterJson),
  };
}
