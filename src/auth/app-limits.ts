import type { MeAnswer } from '@evenkeel/sdk/contract';

export type AppLimits = MeAnswer['limits'];

/** Of an app that states none. A burst of tasks below the largest batch also lowers the largest batch. */
export const DEFAULT_LIMITS: AppLimits = {
  requestsPerSecond: 20,
  requestBurst: 40,
  tasksPerSecond: 200,
  taskBurst: 1000,
  unfinishedTasks: 100_000,
  pendingCallbacks: 100_000,
};

/** The system's limits with those an app's `limits_json` overrides; anything but a positive number there is ignored. */
export function limitsOf(limitsJson: string | null): AppLimits {
  const limits = { ...DEFAULT_LIMITS };
  const stated: Record<string, unknown> = limitsJson ? JSON.parse(limitsJson) : {};
  for (const name of Object.keys(limits) as (keyof AppLimits)[]) {
    const value = stated[name];
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) limits[name] = value;
  }
  return limits;
}
