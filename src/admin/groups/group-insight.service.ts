import { Injectable } from '@nestjs/common';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import type { AccessKeyRow } from '../../auth/access-keys.store.js';
import { AppsService } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { type User, UsersService } from '../../auth/users.service.js';
import { may, ROLES } from '../../decisions/permissions.js';
import { SqlDialect } from '../../ports.js';
import type { GroupAccess, GroupKey, GroupShares } from '../contract/groups.js';
import { ConsoleGroupsService } from './console-groups.service.js';
import { GroupFiguresStore, MOST_COUNTED } from './group-figures.store.js';

/** Whose work a group holds, and who reaches it. */
@Injectable()
export class GroupInsightService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly groups: ConsoleGroupsService,
    private readonly figures: GroupFiguresStore,
    private readonly apps: AppsService,
    private readonly keys: AccessKeysService,
    private readonly users: UsersService,
  ) {}

  async shares({ caller }: ConsoleRequest, key: string): Promise<GroupShares> {
    const group = this.groups.found(caller, key);
    const rows = await this.figures.shares(this.dialect.root, group.id);
    const names = new Map((await this.apps.list()).map(({ id, publicId, name }) => [id, { id: publicId, name }]));
    const waiting = rows.reduce((sum, row) => sum + row.waiting, 0);
    return {
      items: rows.map(({ appId, ...counts }) => ({ app: appId === null ? null : (names.get(appId) ?? null), ...counts })),
      running: rows.reduce((sum, row) => sum + row.running, 0),
      waiting: { count: waiting, capped: waiting >= MOST_COUNTED },
    };
  }

  async access({ caller: { rights }, caller }: ConsoleRequest, key: string): Promise<GroupAccess> {
    this.groups.found(caller, key);
    const seesKeys = may(rights, 'keys.view', null);
    const all = seesKeys ? await this.keys.all() : [];
    return {
      members: may(rights, 'users.view', null) ? membersOf(await this.users.list(), key) : null,
      partners: seesKeys ? await this.partners(all, key) : null,
      workerKeys: seesKeys ? all.filter((row) => row.kind === 'worker' && reaches(row, key)).map((row) => this.keyOf(row)) : null,
    };
  }

  private async partners(all: readonly AccessKeyRow[], key: string): Promise<NonNullable<GroupAccess['partners']>> {
    const granted = (await this.apps.list()).filter(({ groups }) => groups.includes(key));
    return granted.map(({ id, publicId, name, defaultGroup }) => ({
      id: publicId,
      name,
      isDefault: defaultGroup === key,
      keys: all.filter((row) => row.appId === id && reaches(row, key)).map((row) => this.keyOf(row)),
    }));
  }

  private keyOf(row: AccessKeyRow): GroupKey {
    const { accessKey, label, scopesJson } = row;
    return { accessKey, label, active: this.keys.isActive(row), scopes: JSON.parse(scopesJson) as string[] };
  }
}

/** A partner's key without groups of its own reaches all of its app's. */
const reaches = ({ kind, groupKeys }: AccessKeyRow, key: string): boolean =>
  groupKeys === null ? kind === 'partner' : (JSON.parse(groupKeys) as string[]).includes(key);

/** The stronger of the role held everywhere and the one held there. */
function membersOf(users: readonly User[], key: string): NonNullable<GroupAccess['members']> {
  return users.flatMap(({ username, role, grants, disabled }) => {
    const own = grants[key];
    const global = role === 'none' ? undefined : role;
    const everywhere = own === undefined || (global !== undefined && ROLES.indexOf(global) >= ROLES.indexOf(own));
    const held = everywhere ? global : own;
    return held === undefined ? [] : [{ username, role: held, everywhere, disabled }];
  });
}
