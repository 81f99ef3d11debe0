import type { Group } from './group.js';

/** The groups, as every node knows them. */
export abstract class GroupsService {
  abstract byKey(key: string): Group | undefined;
  abstract byId(id: number): Group | undefined;
  abstract backlogFull(groupId: number): boolean;
}
