import { Injectable } from '@nestjs/common';
import type { Group } from '../jobs/group.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';

/**
 * Where a partner may act. To a key that was granted some groups of its app, what is in the others looks like none. What an app has in
 * a group it may use no more it still sees and stops; it starts and changes nothing there.
 */
@Injectable()
export class GrantedGroups {
  constructor(private readonly groups: GroupsService) {}

  /** The stated group, else the app's own. Nobody learns whether one exists that is not granted. Throws AppError `validation_failed`. */
  stated(key: string | undefined, caller: PartnerCaller, pointer = ''): Group {
    const name = key ?? caller.defaultGroup;
    const group = caller.groups.includes(name) ? this.groups.byKey(name) : undefined;
    if (group) return group;
    throw AppError.fields([{ pointer: `${pointer}/group`, code: 'not_allowed', message: 'is not a group this app may use' }]);
  }

  /** False for what is in a group that the key, unlike its app, was not granted. */
  shows(groupId: number, { narrowedTo }: PartnerCaller): boolean {
    return narrowedTo === null || narrowedTo.includes(this.keyOf(groupId) ?? '');
  }

  /** What a list is confined to: the groups it was asked for, of those the key is shown; undefined for all of the app. */
  idsOf(stated: string | undefined, { narrowedTo }: PartnerCaller): number[] | undefined {
    const keys = stated === undefined ? narrowedTo : [stated].filter((key) => narrowedTo?.includes(key) ?? true);
    return keys?.flatMap((key) => this.groups.byKey(key)?.id ?? []);
  }

  /** For whatever starts work or changes what will run. Throws AppError `insufficient_scope`. */
  mustUse(groupId: number, caller: PartnerCaller): void {
    const key = this.keyOf(groupId);
    if (key !== undefined && caller.groups.includes(key)) return;
    throw new AppError('insufficient_scope', `the app may not use the group ${key ?? ''} any more`);
  }

  private keyOf(groupId: number): string | undefined {
    return this.groups.byId(groupId)?.key;
  }
}
