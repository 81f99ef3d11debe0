/** Which handlers somebody could run right now. */
export abstract class HandlerDirectory {
  /** True if a live worker of the group has the handler. */
  abstract hasLiveWorker(groupKey: string, handler: string): boolean;
}
