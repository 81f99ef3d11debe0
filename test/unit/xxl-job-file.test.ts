import { checkConfiguration } from '../../src/decisions/check-configuration.js';
import { convertXxlJobs } from '../../src/decisions/xxl-job-file.js';

const TARGET = { group: 'pay', timeZone: 'Asia/Shanghai' };
const row = (id: number, more: object = {}) => ({
  id,
  jobGroup: 2,
  jobDesc: `作业 ${id}`,
  author: 'ops',
  alarmEmail: '',
  scheduleType: 'CRON',
  scheduleConf: '0 0/5 * * * ?',
  misfireStrategy: 'DO_NOTHING',
  executorRouteStrategy: 'ROUND',
  executorHandler: `handler${id}`,
  executorParam: '',
  executorBlockStrategy: 'SERIAL_EXECUTION',
  executorTimeout: 0,
  executorFailRetryCount: 0,
  glueType: 'BEAN',
  childJobId: '',
  triggerStatus: 1,
  ...more,
});
/** Converted, and read by the rules of an import. */
function converted(value: unknown) {
  const conversion = convertXxlJobs(JSON.stringify(value), TARGET);
  if (!conversion) throw new Error('not taken for an export');
  const { jobs, errors } = checkConfiguration(conversion.text, 'UTC');
  const written = JSON.parse(conversion.text).jobs as Record<string, unknown>[];
  return { ...conversion, errors, written, checked: jobs };
}

describe('jobs of XXL-JOB', () => {
  it('become jobs that an import takes, with what they said', () => {
    const { errors, checked, notes } = converted([
      row(1, { executorTimeout: 30, executorFailRetryCount: 2, executorParam: 'day=1' }),
      row(2, { scheduleType: 'FIX_RATE', scheduleConf: '90', executorBlockStrategy: 'COVER_EARLY' }),
      row(3, {
        scheduleType: 'NONE',
        scheduleConf: '',
        misfireStrategy: 'FIRE_ONCE_NOW',
        executorParam: '{"n":9007199254740993}',
      }),
    ]);
    expect([errors, notes]).toEqual([[], []]);
    const [first, second, third] = checked.map(({ definition }) => definition);
    expect(first).toMatchObject({
      handler: 'handler1',
      params: '"day=1"',
      schedule: { kind: 'cron', expression: '0 0/5 * * * *', timeZone: 'Asia/Shanghai' },
      overlap: 'queue',
      misfire: 'skip',
      policies: { timeoutMs: 30_000, retry: { kind: 'fixed', maxRetries: 2 }, repeatable: true, routing: 'round_robin' },
      owner: 'ops',
      description: '作业 1',
    });
    expect(second).toMatchObject({ schedule: { kind: 'every', everyMs: 90_000 }, overlap: 'replace' });
    expect(third).toMatchObject({ schedule: { kind: 'manual' }, misfire: 'fire_once', params: '{"n":9007199254740993}' });
  });

  it('without a limit of time or retries have none here either, whatever the group says', () => {
    const [job] = converted([row(1)]).checked;
    expect(job?.definition.policies).toMatchObject({ timeoutMs: 0, retry: { kind: 'none' }, repeatable: false });
  });

  it('count weekdays as Quartz does', () => {
    const [job] = converted([row(1, { scheduleConf: '0 15 10 ? * 6#3' })]).checked;
    expect(job?.definition.schedule).toMatchObject({ expression: '0 15 10 * * FRI#3' });
  });

  it('wait for the jobs that started them, unless they have a schedule of their own', () => {
    const none = { scheduleType: 'NONE', scheduleConf: '' };
    const { errors, checked, notes } = converted([
      row(1, { childJobId: '3,4' }),
      row(2, { childJobId: '3, 9' }),
      row(3, none),
      row(4),
    ]);
    expect(errors).toEqual([]);
    expect(checked.map(({ upstreams }) => upstreams.map(({ key }) => key))).toEqual([[], [], ['handler1', 'handler2'], []]);
    expect(checked[2]?.definition.schedule).toEqual({ kind: 'upstream' });
    expect(notes).toEqual([
      { code: 'waits_for_all', jobs: ['handler3'] },
      { code: 'child_keeps_schedule', jobs: ['handler4'] },
      { code: 'child_unknown', jobs: ['handler2'] },
    ]);
  });

  it('keep what they start also as rows of the table, which writes that column in one word', () => {
    const columns = Object.fromEntries(
      Object.entries(row(1)).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
    );
    const { child_job_id: _, ...rest } = columns;
    const ofTable = (id: number, handler: string, more: object) => ({ ...rest, id, executor_handler: handler, ...more });
    const { errors, checked } = converted([
      ofTable(1, 'first', { child_jobid: '2' }),
      ofTable(2, 'second', { child_jobid: null, schedule_type: 'NONE', schedule_conf: '', executor_timeout: -1 }),
    ]);
    expect(errors).toEqual([]);
    expect(checked.map(({ upstreams }) => upstreams.map(({ key }) => key))).toEqual([[], ['first']]);
    expect(checked[1]?.definition.schedule).toEqual({ kind: 'upstream' });
  });

  it('that have one handler get keys of their own, also where its name is no key', () => {
    const { written, errors } = converted([
      row(1, { executorHandler: 'sync' }),
      row(2, { executorHandler: 'Sync' }),
      row(3, { executorHandler: '结算' }),
      row(4, { executorHandler: 'a/b c' }),
    ]);
    expect(errors).toEqual([]);
    expect(written.map(({ key, handler }) => [key, handler])).toEqual([
      ['sync-1', 'sync'],
      ['Sync-2', 'Sync'],
      ['job', '结算'],
      ['a-b-c', 'a/b c'],
    ]);
  });

  it('that run scripts or name no handler are left out and named', () => {
    const { jobs, notes } = converted([row(1), row(2, { glueType: 'GLUE_SHELL' }), row(3, { executorHandler: ' ' })]);
    expect(jobs).toBe(1);
    expect(notes).toEqual([
      { code: 'script_left_out', jobs: ['作业 2'] },
      { code: 'row_left_out', jobs: ['作业 3'] },
    ]);
  });

  it('say what is not as it was', () => {
    const { notes, written, errors } = converted([
      row(1, { executorRouteStrategy: 'SHARDING_BROADCAST' }),
      row(2, { executorRouteStrategy: 'LEAST_FREQUENTLY_USED', alarmEmail: 'a@example.com' }),
      row(3, { executorRouteStrategy: 'toString', scheduleType: 'LUNAR' }),
    ]);
    expect(errors).toEqual([]);
    expect(written[0]).toMatchObject({ shards: 'broadcast' });
    expect(notes).toEqual([
      { code: 'routing_differs', jobs: ['handler2', 'handler3'] },
      { code: 'broadcast_as_shards', jobs: ['handler1'] },
      { code: 'schedule_unknown', jobs: ['handler3'] },
      { code: 'alarm_left_out', jobs: ['handler2'] },
    ]);
  });

  it.each([
    ['a list', [row(1)]],
    ['the answer to its page', { recordsTotal: 1, recordsFiltered: 1, data: [row(1)] }],
    ['a wrapped answer', { code: 200, msg: null, data: { offset: 0, pagesize: 10, total: 1, data: [row(1)] } }],
    [
      'rows of its table',
      [{ id: '1', job_desc: 'x', schedule_type: 'CRON', schedule_conf: '0 0 1 * * ?', executor_handler: 'handler1' }],
    ],
    ['rows from before there were types of schedules', [{ id: 1, jobCron: '0 0 1 * * ?', executorHandler: 'handler1' }]],
  ])('are found in %s', (_, value) => {
    const { errors, checked } = converted(value);
    expect(errors).toEqual([]);
    expect(checked).toMatchObject([{ key: 'handler1', definition: { schedule: { kind: 'cron' } } }]);
  });

  it.each(['', 'not JSON', '{}', '[]', '[1]', '[{"id":1}]', '{"data":{"data":{"data":{"data":[]}}}}'])(
    'are not found in %j',
    (text) => {
      expect(convertXxlJobs(text, TARGET)).toBeNull();
    },
  );
});
