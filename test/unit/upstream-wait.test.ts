import { TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { madeNoWork, waitVerdict } from '../../src/decisions/upstream-wait.js';

const task = (state: TaskState, id = 'x') => ({ id, state, reason: null });
const ENDS: Partial<Record<TaskState, string>> = {
  SUCCEEDED: 'done',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'failed',
  SKIPPED: 'failed',
};

describe('what becomes of a task that waits', () => {
  it.each(TASK_STATES)('for one that is %s', (state) => {
    expect(waitVerdict([task('SUCCEEDED'), task(state)]).is).toBe(ENDS[state] ?? 'outstanding');
  });

  it('goes on when it waits for nothing', () => {
    expect(waitVerdict([])).toEqual({ is: 'done' });
  });

  it('waits for what is not there yet, but not beside a failure', () => {
    expect(waitVerdict([null, task('SUCCEEDED')])).toEqual({ is: 'outstanding' });
    expect(waitVerdict([null, task('RUNNING'), task('TIMED_OUT', 'y')])).toEqual({ is: 'failed', by: 'y', state: 'TIMED_OUT' });
  });

  it.each([
    ['SKIPPED', 'overlap', true],
    ['SKIPPED', 'misfire_window', true],
    ['SKIPPED', 'upstream_failed', false],
    ['CANCELLED', 'replaced', true],
    ['CANCELLED', 'cancelled_by_partner', false],
    ['FAILED', 'retries_exhausted', false],
  ] as const)('a fire that ended %s %s made no work: %s', (state, reason, expected) => {
    expect(madeNoWork({ state, reason })).toBe(expected);
  });
});
