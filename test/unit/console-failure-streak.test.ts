import { failuresInARow } from '../../console/src/features/jobs/failure-streak.js';
import type { JobDetail } from '../../src/admin/contract/jobs.js';

type State = JobDetail['recent'][number]['state'];
const of = (...states: State[]) =>
  failuresInARow({ recent: states.map((state, n) => ({ id: `task_${n}`, state, at: '2026-01-01T00:00:00Z', runMs: null })) });
const times = (n: number, state: State): State[] => Array.from({ length: n }, () => state);

describe('how often a job has failed in a row', () => {
  it('is exact where its last success is known, or every task it ever had', () => {
    expect(of('FAILED', 'TIMED_OUT', 'SUCCEEDED', 'FAILED')).toEqual({ times: 2, atLeast: false });
    expect(of(...times(23, 'FAILED'))).toEqual({ times: 23, atLeast: false });
    expect(of(...times(23, 'FAILED'), 'SUCCEEDED')).toEqual({ times: 23, atLeast: false });
    expect(of('SUCCEEDED')).toEqual({ times: 0, atLeast: false });
  });

  it('is at least what the job carries, where all of that failed', () => {
    expect(of(...times(24, 'FAILED'))).toEqual({ times: 24, atLeast: true });
    expect(of('RUNNING', ...times(22, 'FAILED'), 'CANCELLED')).toEqual({ times: 22, atLeast: true });
  });
});
