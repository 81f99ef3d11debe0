import type { Deed } from '../platform/witness.js';
import type { Cordoned, Drained, Forgotten } from './drains.service.js';

const iso = (at: number): string => new Date(at).toISOString();

/** What the log keeps when a worker of these groups is taken out of service or back. It names a group only if there is one alone. */
const ofWorker = <T extends { workerId: string }>(action: string, groups: readonly string[], show: Deed<T>['show']): Deed<T> => ({
  action,
  type: 'worker',
  id: ({ workerId }) => workerId,
  group: () => (groups.length === 1 ? (groups[0] ?? null) : null),
  show,
});

export const drainDeed = (action: string, groups: readonly string[]): Deed<Drained> =>
  ofWorker(action, groups, ({ drainAsked, deadlineAt }) => ({
    drainAsked,
    ...(deadlineAt === null ? {} : { deadlineAt: iso(deadlineAt) }),
  }));

export const cordonDeed = (action: string, groups: readonly string[]): Deed<Cordoned> =>
  ofWorker(action, groups, ({ cordoned }) => ({ cordoned }));

export const forgetDeed = (groups: readonly string[]): Deed<Forgotten> =>
  ofWorker('worker.removed', groups, ({ incarnation, state, lastBeatAt }) => ({
    incarnation,
    state,
    lastBeatAt: iso(lastBeatAt),
  }));
