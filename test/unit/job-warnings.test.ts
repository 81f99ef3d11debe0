import { type GraphJob, jobWarnings } from '../../src/decisions/job-warnings.js';

type Stated = Record<string, [kind: GraphJob['kind'], ...upstreams: string[]]>;
const graphOf = (jobs: Stated) => new Map(Object.entries(jobs).map(([id, [kind, ...upstreams]]) => [id, { kind, upstreams }]));
const told = (jobs: Stated, id: string) =>
  jobWarnings(graphOf(jobs).get(id) as GraphJob, graphOf(jobs)).map(({ code, jobs }) => [code, jobs]);

describe('what the dependencies of a job cannot bring about', () => {
  it.each<[string, Stated, unknown[]]>([
    ['a join of one job', { a: ['cron'], x: ['upstream', 'a'] }, []],
    ['a join of two that begin flows of their own', { a: ['cron'], b: ['every'], x: ['upstream', 'a', 'b'] }, ['a', 'b']],
    ['a join of two events', { a: ['event'], b: ['event'], x: ['upstream', 'a', 'b'] }, ['a', 'b']],
    ['a diamond', { r: ['manual'], a: ['upstream', 'r'], b: ['upstream', 'r'], x: ['upstream', 'a', 'b'] }, []],
    ['a join of a root and what follows it', { r: ['manual'], a: ['upstream', 'r'], x: ['upstream', 'r', 'a'] }, []],
    [
      'branches of two roots',
      { r: ['cron'], s: ['cron'], a: ['upstream', 'r'], b: ['upstream', 's'], x: ['upstream', 'a', 'b'] },
      ['a', 'b'],
    ],
    ['a fire that waits for the other', { a: ['cron'], b: ['cron', 'a'], x: ['upstream', 'a', 'b'] }, []],
    ['two fires that wait for the same', { r: ['every'], a: ['cron', 'r'], b: ['cron', 'r'], x: ['upstream', 'a', 'b'] }, []],
    ['a fire that waits for nothing of an event', { a: ['event'], b: ['cron', 'a'], x: ['upstream', 'a', 'b'] }, ['a', 'b']],
    [
      'a join below a join that never fires',
      { a: ['cron'], b: ['cron'], j: ['upstream', 'a', 'b'], x: ['upstream', 'j'] },
      ['j'],
    ],
    [
      'three of which two share',
      { r: ['cron'], a: ['upstream', 'r'], s: ['cron'], x: ['upstream', 'r', 'a', 's'] },
      ['r', 'a', 's'],
    ],
  ])('%s', (_, jobs, never) => {
    expect(told(jobs, 'x')).toEqual(never.length === 0 ? [] : [['no_common_flow', never]]);
  });

  it.each<[GraphJob['kind'], boolean]>([
    ['cron', true],
    ['every', true],
    ['after', true],
    ['once', true],
    ['event', false],
    ['manual', false],
    ['upstream', false],
  ])('a fire waits for the fires of a job of the kind %s: %s', (kind, waits) => {
    const jobs: Stated = { r: ['cron'], a: kind === 'upstream' ? [kind, 'r'] : [kind], b: ['cron'], x: ['cron', 'a', 'b'] };
    expect(told(jobs, 'x')).toEqual(waits ? [] : [['never_awaited', ['a']]]);
  });

  it('a job without upstreams has nothing to be warned of', () => {
    expect(told({ x: ['cron'] }, 'x')).toEqual([]);
  });

  it('is found out for a thousand jobs in a row, in little time', () => {
    const row: Stated = { 0: ['cron'], s: ['cron'] };
    for (let i = 1; i <= 1_000; i++) row[i] = ['upstream', String(i - 1)];
    expect(told({ ...row, x: ['upstream', '1000'] }, 'x')).toEqual([]);
    expect(told({ ...row, x: ['upstream', '1000', 's'] }, 'x')).toEqual([['no_common_flow', ['1000', 's']]]);
  });
});
