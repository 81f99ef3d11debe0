import type { RetryPolicy, Routing } from '@evenkeel/sdk/contract';

/** Of a task whose job and group state nothing (SPEC section 5); those of `retry` and `crashRetries` stand with the settlement. */
export const SYSTEM_POLICIES = { priority: 5, timeoutMs: 60_000 } as const;

/** What a group may state for its tasks. Its routing is a setting of its own: it is looked up at each claim, not kept with the task. */
export interface GroupPolicies {
  priority?: number;
  timeoutMs?: number;
  retry?: RetryPolicy;
  repeatable?: boolean;
  crashRetries?: number;
}

/** What a job or a submission may state. */
export interface StatedPolicies {
  priority?: number;
  timeoutMs?: number;
  retry?: RetryPolicy;
  repeatable?: boolean;
  routing?: Routing;
  crashRetries?: number;
  onShardFailure?: 'continue' | 'stop';
}

export interface ResolvedPolicies {
  priority: number;
  timeoutMs: number;
  /** Stored with the task; absent where the system's default holds. */
  options: { retry?: RetryPolicy; repeatable?: false; routing?: Routing; crashRetries?: number; onShardFailure?: 'stop' };
}

/** Each policy as the task or job states it, else the group, else the system. The moment of the insert decides: a task keeps them. */
export function resolvePolicies(stated: StatedPolicies, group: GroupPolicies): ResolvedPolicies {
  const options: ResolvedPolicies['options'] = {};
  const retry = first(stated.retry, group.retry);
  const crashRetries = first(stated.crashRetries, group.crashRetries);
  if (retry) options.retry = retry;
  if (first(stated.repeatable, group.repeatable) === false) options.repeatable = false;
  if (stated.routing) options.routing = stated.routing;
  if (stated.onShardFailure === 'stop') options.onShardFailure = 'stop';
  if (crashRetries !== undefined) options.crashRetries = crashRetries;
  return {
    priority: first(stated.priority, group.priority, SYSTEM_POLICIES.priority) as number,
    timeoutMs: first(stated.timeoutMs, group.timeoutMs, SYSTEM_POLICIES.timeoutMs) as number,
    options,
  };
}

const first = <T>(...values: (T | undefined)[]): T | undefined => values.find((value) => value !== undefined);
