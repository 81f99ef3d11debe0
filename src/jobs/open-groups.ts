import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors.js';
import type { Sql } from '../ports.js';
import type { Group } from './group.js';
import { GroupStore } from './group.store.js';

/**
 * The refusal of whatever would bring an archived group new work; null of a group that takes it. What needs no job (a submit) is judged
 * by the group as this node knows it, what is about a job or a task that is there by the row: see `OpenGroups`.
 */
export const refusalOfArchived = (group: Pick<Group, 'key' | 'archivedAt'> | null | undefined): AppError | null =>
  group?.archivedAt == null
    ? null
    : AppError.because('state_conflict', 'group_archived', { group: group.key }, { members: { group: group.key } });

/** Groups that take new work, by their rows. */
@Injectable()
export class OpenGroups {
  constructor(private readonly store: GroupStore) {}

  /**
   * For whoever brings it a job: locks the group until the transaction ends, so that an archive comes wholly before it, and it is refused,
   * or wholly after it, and is refused for that job. Before any job is locked. Throws AppError `state_conflict`.
   */
  async lock(tx: Sql, groupId: number): Promise<void> {
    throwIf(refusalOfArchived(await this.store.lockById(tx, groupId)));
  }

  /** For whoever opens a task again: as it is now. An archive at the same moment may come before or after it. Throws AppError `state_conflict`. */
  async check(sql: Sql, groupId: number): Promise<void> {
    throwIf(refusalOfArchived(await this.store.find(sql, groupId)));
  }
}

function throwIf(refusal: AppError | null): void {
  if (refusal) throw refusal;
}
