import { Injectable } from '@nestjs/common';
import { PendingCallbacks } from '../callbacks/pending-callbacks.js';
import { CLIENT_REQUEST_ID } from '../decisions/check-submission.js';
import { tasksMade } from '../decisions/shards.js';
import type { Group } from '../jobs/group.js';
import { GroupsService } from '../jobs/groups.service.js';
import { refusalOfArchived } from '../jobs/open-groups.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { type EventRequest, EventsService } from '../tasks/events.service.js';
import { TasksService } from '../tasks/tasks.service.js';
import { UnfinishedTasks } from '../tasks/unfinished-tasks.js';

/**
 * Whether there is room for what a partner asks for. Tasks and callbacks are counted every few seconds, so they may overrun a little.
 * A repetition needs none: ask `isKnown` before a refusal is told.
 */
@Injectable()
export class Room {
  constructor(
    private readonly groups: GroupsService,
    private readonly tasks: TasksService,
    private readonly unfinished: UnfinishedTasks,
    private readonly pendingCallbacks: PendingCallbacks,
    private readonly events: EventsService,
  ) {}

  /** The refusal of a group that is archived, or of a group or app that has as many tasks, or callbacks that wait, as it may; null if another task has room. */
  refusalOf({ id, key }: Pick<Group, 'id' | 'key'>, callbackUrl: string | null, caller: PartnerCaller): AppError | null {
    const archived = refusalOfArchived(this.groups.byId(id));
    if (archived) return archived;
    if (this.groups.backlogFull(id)) return backlogFull(key);
    const { appId, limits } = caller;
    const ofApp = this.refusalOfApp(caller);
    if (ofApp) return ofApp;
    if (callbackUrl !== null && this.pendingCallbacks.of(appId) >= limits.pendingCallbacks)
      return new AppError('callbacks_full', `${limits.pendingCallbacks} or more callbacks of this app wait to be sent`, {
        retryAfter: 30,
      });
    return null;
  }

  /**
   * The refusal of an event, which is sent as a whole or not at all: a group where it would make a task is full, or the app is.
   * No job is in an archived group, so none hears it there.
   */
  async refusalOfEvent(event: Pick<EventRequest, 'groupIds' | 'name'>, caller: PartnerCaller): Promise<AppError | null> {
    const full = event.groupIds.filter((id) => this.groups.backlogFull(id));
    const [reached] = full.length > 0 ? await this.events.groupsItReaches({ ...event, groupIds: full }) : [];
    return reached === undefined ? this.refusalOfApp(caller) : backlogFull(this.groups.byId(reached)?.key ?? '');
  }

  /** The same of the app alone, where the group is not known yet. */
  private refusalOfApp({ appId, limits }: PartnerCaller): AppError | null {
    if (!this.unfinished.reached(appId, limits.unfinishedTasks)) return null;
    return new AppError('concurrency_limited', `this app has ${limits.unfinishedTasks} or more tasks that have not ended`, {
      retryAfter: 5,
    });
  }

  /** A task of the app has that id: a repeated request is answered from what it created, whatever would keep it from being created now. */
  async isKnown(appId: number | null, clientRequestId: string | null): Promise<boolean> {
    if (appId === null || clientRequestId === null) return false;
    return (await this.known(appId, [clientRequestId])).size > 0;
  }

  /** Those of these ids that tasks of the app bear already. */
  known(appId: number, clientRequestIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.tasks.knownRequestIds(appId, clientRequestIds);
  }

  /** How many tasks these submissions make. A repetition makes none, and counts as one. */
  async tasksMadeBy(appId: number, submissions: readonly { shards?: unknown; clientRequestId?: unknown }[]): Promise<number> {
    const divided = submissions.filter(({ shards }) => tasksMade(shards) > 1);
    if (divided.length === 0) return submissions.length;
    const ids = divided.flatMap(({ clientRequestId: id }) => (typeof id === 'string' && CLIENT_REQUEST_ID.test(id) ? [id] : []));
    const known = await this.tasks.knownRequestIds(appId, ids);
    const more = divided.filter(({ clientRequestId }) => !known.has(clientRequestId as string));
    return more.reduce((sum, { shards }) => sum + tasksMade(shards) - 1, submissions.length);
  }
}

const backlogFull = (groupKey: string): AppError =>
  new AppError('backlog_full', `the group ${groupKey} holds as many pending tasks as it may`, { retryAfter: 5 });
