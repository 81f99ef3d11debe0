import { type StandingJob, stoppedUpstreams } from '../../src/decisions/stopped-upstreams.js';

type Stated = Record<string, [kind: StandingJob['kind'], state: StandingJob['state'], ...upstreams: string[]]>;
const told = (jobs: Stated, id = 'x') => {
  const graph = new Map(Object.entries(jobs).map(([key, [kind, state, ...upstreams]]) => [key, { kind, state, upstreams }]));
  return stoppedUpstreams(graph.get(id) as StandingJob, graph);
};

describe('the stopped jobs that keep one from running as its dependencies say', () => {
  it('are those above a job that fires after its upstreams, however far, nearest first', () => {
    const jobs: Stated = {
      root: ['cron', 'paused'],
      a: ['upstream', 'active', 'root'],
      b: ['upstream', 'disabled', 'a'],
      x: ['upstream', 'active', 'b'],
    };
    expect(told(jobs)).toEqual(['b', 'root']);
    expect(told(jobs, 'a')).toEqual(['root']);
  });

  it('are none where all of them go on, and none of itself', () => {
    expect(told({ a: ['cron', 'active'], x: ['upstream', 'paused', 'a'] })).toEqual([]);
    expect(told({ x: ['cron', 'active'] })).toEqual([]);
  });

  it('are not those above a job that fires by itself, which does not wait for them then', () => {
    expect(told({ a: ['cron', 'paused'], b: ['cron', 'active', 'a'], x: ['upstream', 'active', 'b'] })).toEqual([]);
  });

  it('are those a job with fires of its own would wait for: the ones with fire times', () => {
    expect(told({ a: ['every', 'paused'], b: ['event', 'paused'], x: ['cron', 'active', 'a', 'b'] })).toEqual(['a']);
  });

  it('are none that are run by hand: they are while paused too', () => {
    expect(told({ a: ['manual', 'paused'], x: ['upstream', 'active', 'a'] })).toEqual([]);
  });
});
