/**
 * Why something was refused, where its code has several reasons: the sentence of `detail`, with the values in braces. A problem made by
 * `AppError.because` carries the name as `reason` and the values as `params`, so that the console tells it in other languages:
 * `console/src/i18n/problem-reasons.ts` has words for each of these names.
 */
export const PROBLEM_REASONS = {
  bulk_state: 'the operation is {bulkState}',
  group_archived: 'the group {group} is archived: it takes no new work',
  group_archived_already: 'the group {group} is archived already',
  group_not_archived: 'the group {group} is not archived',
  group_has_jobs: 'the group has {jobs} jobs, paused ones included: move or delete them first',
  no_group: 'there is no group {group}',
  endpoint_disabled_lately: 'it was disabled for its failures less than five minutes ago',
  endpoint_not_enabled: 'the endpoint is {endpointState} and hears of nothing: enable it first',
  endpoint_deleted: 'its endpoint was deleted: nothing is sent there any more',
  job_unreadable: 'the definition of the job cannot be read',
  job_edited: 'the edit was made from version {stated}, the job is at {current}',
  job_awaited: 'other jobs wait for it: {dependants}',
  job_awaited_unseen: 'other jobs wait for it: {hidden} in groups you may not see',
  job_awaited_also_unseen: 'other jobs wait for it: {dependants}, {hidden} in groups you may not see',
  circle: '/upstreams close a circle: {path}',
  import_changed: '{place} was changed meanwhile: import again',
  import_made: '{place} was made meanwhile: import again',
  key_not_rotated: 'the key is {keyState}: nothing signs with it that would need another',
  key_active: 'the key is active: disable it first',
  last_admin: '{username} is the last admin: nobody could give anybody rights any more',
  no_maintenance: 'there is no maintenance hold',
  shard_again: 'it is a shard: run the task it is part of again',
  cancel_not_asked: 'its cancel was not asked for: ask first',
  stop_not_due: 'its worker has {waitMs} ms more to stop it',
  task_ended: 'the task has ended {state}',
  task_not_retried: 'the task is {state}: only FAILED, TIMED_OUT and CANCELLED are retried',
  shard_not_retried: 'the task is {state}: a shard is retried with its parent',
  worker_not_lost: 'the worker is not lost: only one that is may be removed',
  role_lacks: 'your role does not have {permission}',
  role_lacks_in_group: 'your role does not have {permission} in the group {group}',
  role_lacks_in_unseen: 'the worker also serves a group you may not see, in which your role does not have {permission}',
  stores_away: 'a store behind the service is away; nothing was changed, try again',
  contended: 'others were in the way of the request each time it was tried, try again',
} as const;
export type ProblemReason = keyof typeof PROBLEM_REASONS;
export type ReasonParams = Record<string, string | number>;

export const reasonText = (reason: ProblemReason, params: ReasonParams): string =>
  PROBLEM_REASONS[reason].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
