import { checkConfiguration } from '../../src/decisions/check-configuration.js';
import { convertPowerJobs } from '../../src/decisions/powerjob-file.js';

const TARGET = { group: 'pay', timeZone: 'Asia/Shanghai' };
/** As the table has it. */
const row = (id: number, more: object = {}) => ({
  id,
  job_name: `job ${id}`,
  job_description: '',
  app_id: 1,
  job_params: '',
  time_expression_type: 2,
  time_expression: '0 0/5 * * * ?',
  execute_type: 1,
  processor_type: 1,
  processor_info: `tech.example.Settle${id}`,
  max_instance_num: 1,
  concurrency: 5,
  instance_time_limit: 0,
  instance_retry_num: 0,
  task_retry_num: 0,
  status: 1,
  designated_workers: '',
  max_worker_count: 0,
  notify_user_ids: null,
  dispatch_strategy: 1,
  lifecycle: '{}',
  tag: null,
  ...more,
});
/** Converted, and read by the rules of an import. */
function converted(value: unknown) {
  const conversion = convertPowerJobs(JSON.stringify(value), TARGET);
  if (!conversion) throw new Error('not taken for an export');
  const { jobs, errors } = checkConfiguration(conversion.text, 'UTC');
  return { ...conversion, errors, checked: jobs, definitions: jobs.map(({ definition }) => definition) };
}

describe('jobs of PowerJob', () => {
  it('become jobs that an import takes, with what they said', () => {
    const { errors, notes, checked, definitions } = converted([
      row(1, { instance_time_limit: 30_000, instance_retry_num: 1, task_retry_num: 1, job_params: 'day=1' }),
      row(2, { time_expression_type: 3, time_expression: '90000', max_instance_num: 3, dispatch_strategy: 2 }),
      row(3, { time_expression_type: 4, time_expression: 5_000, job_params: '{"n":9007199254740993}' }),
      row(4, { time_expression_type: 1, time_expression: null, tag: 'night' }),
    ]);
    expect([errors, notes]).toEqual([[], []]);
    expect(checked.map(({ group, key }) => `${group}/${key}`)).toEqual(['pay/job-1', 'pay/job-2', 'pay/job-3', 'pay/job-4']);
    expect(definitions[0]).toMatchObject({
      handler: 'tech.example.Settle1',
      params: '"day=1"',
      schedule: { kind: 'cron', expression: '0 0/5 * * * *', timeZone: 'Asia/Shanghai' },
      overlap: 'skip',
      misfire: 'fire_once',
      policies: { timeoutMs: 30_000, retry: { kind: 'fixed', maxRetries: 3, delayMs: 10_000 }, repeatable: true },
      tags: ['powerjob'],
    });
    expect(definitions[1]).toMatchObject({
      schedule: { kind: 'every', everyMs: 90_000 },
      overlap: 'allow',
      maxParallel: 3,
      policies: { routing: 'random', retry: { kind: 'none' }, repeatable: false },
    });
    expect(definitions[2]).toMatchObject({ schedule: { kind: 'after', delayMs: 5_000 }, params: '{"n":9007199254740993}' });
    expect(definitions[3]).toMatchObject({ schedule: { kind: 'manual' }, tags: ['powerjob', 'night'] });
  });

  it('are read as the console exports them one by one, with words for numbers', () => {
    const { errors, checked, notes } = converted({
      jobName: '每日结算',
      jobDescription: 'daily',
      timeExpressionType: 'CRON',
      timeExpression: '0 30 2 ? * 2-6',
      executeType: 'BROADCAST',
      processorType: 'EXTERNAL',
      processorInfo: '7#tech.example.Nightly',
      maxInstanceNum: 0,
      dispatchStrategy: 'SPECIFY',
      designatedWorkers: '10.0.0.1:27777',
      notifyUserIds: [1],
      lifeCycle: { start: 1_780_000_000_000, end: 1_790_000_000_000 },
    });
    expect(errors).toEqual([]);
    expect(checked).toMatchObject([
      {
        key: 'Nightly',
        definition: {
          handler: 'tech.example.Nightly',
          description: '每日结算: daily',
          schedule: { expression: '0 30 2 * * MON-FRI', startAt: '2026-05-28T20:26:40.000Z', endAt: '2026-09-21T14:13:20.000Z' },
          overlap: 'allow',
          maxParallel: 1_000,
          policies: { shards: 'broadcast' },
        },
      },
    ]);
    expect(notes.map(({ code }) => code).sort()).toEqual([
      'alarm_left_out',
      'broadcast_as_shards',
      'container_left_out',
      'parallel_limited',
      'routing_differs',
      'workers_left_out',
    ]);
  });

  it('are told by name where something is left out or unlike', () => {
    const { jobs, notes, errors } = converted({
      data: {
        data: [
          row(1, { time_expression_type: 5 }),
          row(2, { execute_type: 3 }),
          row(3, { time_expression_type: 11, time_expression: '{"interval":60}' }),
          row(4, { processor_type: 2, processor_info: 'echo 1' }),
          row(5, { processor_info: ' ' }),
          row(6, { status: 99 }),
        ],
      },
    });
    expect([jobs, errors]).toEqual([3, []]);
    expect(notes).toEqual([
      { code: 'script_left_out', jobs: ['job 4'] },
      { code: 'row_left_out', jobs: ['job 5'] },
      { code: 'schedule_unknown', jobs: ['job-3'] },
      { code: 'map_as_one', jobs: ['job-2'] },
      { code: 'workflow_left_out', jobs: ['job-1'] },
    ]);
  });

  it('leave it to the import to say which schedule is none', () => {
    const { errors } = converted([
      row(1, { time_expression: '61 * * * * ?' }),
      row(2, { time_expression_type: 3, time_expression: 'x' }),
    ]);
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/jobs/0/schedule/expression', '/jobs/1/schedule/everyMs']);
  });

  it.each(['[]', '{', '[{"executorHandler":"x"}]', '7', '{"schema":"evenkeel.configuration"}'])(
    'are not what %s holds',
    (text) => {
      expect(convertPowerJobs(text, TARGET)).toBeNull();
    },
  );
});
