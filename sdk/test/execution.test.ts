import { LIMITS } from '../src/contract/index.js';
import {
  type AttemptContext,
  defineTask,
  NonRetryableError,
  RetryAfterError,
  type StandardSchemaV1,
} from '../src/worker/index.js';
import { type FakeCentre, order, until } from './fake-centre.js';
import { World } from './world.js';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('execution', () => {
  let world: World;
  let centre: FakeCentre;
  const ended = (taskId: string) => until(`result of ${taskId}`, () => centre.resultOf(taskId));

  beforeEach(async () => {
    world = await World.open();
    centre = world.centre;
  });
  afterEach(() => world.close());

  it('runs the highest priority first and equals in order of arrival', async () => {
    const gate = world.gate();
    const ran: unknown[] = [];
    const note = async (input: unknown) => {
      ran.push(input);
      if (input === 'first') await gate.opened;
    };
    await world.worker({ slots: 1, queue: 10 }).handle('echo', note).start();
    await centre.run([order({ params: 'first', priority: 1 })]);
    await until('the first runs', () => ran.length === 1);
    const priorities = [3, 10, 5, 10, 1, 3];
    await centre.run(priorities.map((priority, i) => order({ params: `${priority}/${i}`, priority })));
    gate.open();
    await until('all ran', () => ran.length === 7);
    expect(ran.slice(1)).toEqual(['10/1', '10/3', '5/2', '3/0', '3/5', '1/4']);
  });

  it('keeps to the concurrency of a handler without holding up others', async () => {
    const gate = world.gate();
    let most = 0;
    let now = 0;
    const slow = async () => {
      most = Math.max(most, ++now);
      await gate.opened;
      now--;
    };
    await world
      .worker({ slots: 8 })
      .handle('slow', { concurrency: 2 }, slow)
      .handle('echo', () => 'done')
      .start();
    await centre.run([
      ...Array.from({ length: 5 }, () => order({ handler: 'slow', priority: 10 })),
      order({ taskId: 'task_quick' }),
    ]);
    expect(await ended('task_quick')).toMatchObject({ outcome: 'succeeded' });
    gate.open();
    await until('all ended', () => centre.results.length === 6);
    expect(most).toBe(2);
  });

  it('gives the handler what the order says', async () => {
    let seen: unknown;
    const look = (_: unknown, ctx: AttemptContext) => {
      const { taskId, lease, attempt, scheduledAt, idempotencyKey, traceparent, shard } = ctx;
      const owned = ['a', 'b', 'c', 'd'].filter((key) => shard?.owns(key));
      seen = {
        taskId,
        lease,
        attempt,
        at: scheduledAt.getTime(),
        idempotencyKey,
        traceparent,
        index: shard?.index,
        owned,
        restored: ctx.restored(),
        limited: ctx.deadline instanceof Date,
      };
    };
    await world.worker().handle('echo', look).start();
    const each = order({ attempt: 4, shard: { index: 0, total: 1 }, checkpoint: { page: 3 } });
    await centre.run([each]);
    await ended(each.taskId);
    expect(seen).toEqual({
      taskId: each.taskId,
      lease: 2,
      attempt: 4,
      at: each.scheduledAt,
      idempotencyKey: each.taskId,
      traceparent: each.traceparent,
      index: 0,
      owned: ['a', 'b', 'c', 'd'],
      restored: { page: 3 },
      limited: true,
    });
  });

  it('sends progress and checkpoints with the beats', async () => {
    const gate = world.gate();
    const handler = async (_: unknown, ctx: AttemptContext) => {
      ctx.progress(0.5);
      ctx.checkpoint({ page: 7 });
      await gate.opened;
    };
    await world.worker().handle('echo', handler).start();
    const { taskId } = order();
    await centre.run([order({ taskId })]);
    const named = await until('a beat with the checkpoint', () =>
      centre.beats.flatMap((beat) => beat.attempts).find((each) => each.checkpoint !== undefined),
    );
    expect(named).toEqual({ taskId, lease: 2, phase: 'running', progress: 0.5, checkpoint: { page: 7 } });
    const beats = centre.beats.length;
    await until('later beats', () => centre.beats.length > beats + 2);
    expect(centre.beats.at(-1)?.attempts).toEqual([{ taskId, lease: 2, phase: 'running', progress: 0.5 }]);
  });

  it('aborts at the time limit, names the attempt until the handler settles and reports timed_out then', async () => {
    const gate = world.gate();
    let reason: unknown;
    const stubborn = async (_: unknown, ctx: AttemptContext) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason.reason;
      });
      await gate.opened;
      return 'done all the same';
    };
    await world.worker().handle('echo', stubborn).start();
    const each = order({ timeoutMs: 50 });
    await centre.run([each]);
    await until('the signal', () => reason === 'timed_out');
    const beats = centre.beats.length;
    await until('more beats', () => centre.beats.length > beats + 1);
    expect(centre.beats.at(-1)?.attempts).toEqual([{ taskId: each.taskId, lease: 2, phase: 'running' }]);
    expect(centre.results).toEqual([]);
    gate.open();
    expect(await ended(each.taskId)).toMatchObject({ outcome: 'timed_out', error: { name: 'AttemptTimedOut' } });
  });

  it('does not count the time in the queue against the limit, and 0 is no limit', async () => {
    const gate = world.gate();
    await world
      .worker({ slots: 1, queue: 5 })
      .handle('hold', () => gate.opened)
      .handle('echo', () => 1)
      .start();
    await centre.run([order({ handler: 'hold', timeoutMs: 0, priority: 10 })]);
    const queued = order({ timeoutMs: 60 });
    await centre.run([queued]);
    const started = Date.now();
    await until('longer than the limit', () => Date.now() - started > 150);
    gate.open();
    expect(await ended(queued.taskId)).toMatchObject({ outcome: 'succeeded', result: 1 });
  });

  it('stops a running attempt on cancel and reports cancelled; one that waits never starts', async () => {
    let started = 0;
    const abortable = (_: unknown, { signal }: { signal: AbortSignal }) => {
      started++;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await world.worker({ slots: 1 }).handle('echo', abortable).start();
    const [running, waiting] = [order({ priority: 10 }), order()];
    await centre.run([running, waiting]);
    await until('running', () => started === 1);
    const tasks = [waiting, running].map(({ taskId, lease }) => ({ taskId, lease, reason: 'cancelled' }));
    const { json } = await centre.send('POST', '/cancel', { tasks });
    expect(json).toMatchObject({ results: [{ outcome: 'stopping' }, { outcome: 'stopping' }] });
    expect(await ended(running.taskId)).toMatchObject({ outcome: 'cancelled' });
    expect(await ended(waiting.taskId)).toMatchObject({ outcome: 'cancelled' });
    expect(started).toBe(1);
    await until('acknowledged', () => centre.beats.at(-1)?.attempts.length === 0);
    expect((await centre.send('POST', '/cancel', { tasks: tasks.slice(1) })).json).toMatchObject({
      results: [{ outcome: 'finished' }],
    });
  });

  it('obeys cancel and abandon in heartbeat answers; an abandoned attempt is not reported', async () => {
    let reasons = 0;
    const abortable = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          reasons++;
          reject(signal.reason);
        }),
      );
    await world.worker().handle('echo', abortable).start();
    const [cancelled, abandoned] = [order(), order()];
    await centre.run([cancelled, abandoned]);
    await until('both named', () => centre.beats.at(-1)?.attempts.length === 2);
    centre.nextAnswer = {
      cancel: [{ taskId: cancelled.taskId, lease: 2, reason: 'replaced' }],
      abandon: [{ taskId: abandoned.taskId, lease: 2 }],
    };
    expect(await ended(cancelled.taskId)).toMatchObject({ outcome: 'cancelled' });
    await until('both stopped and neither named', () => reasons === 2 && centre.beats.at(-1)?.attempts.length === 0);
    expect(centre.resultOf(abandoned.taskId)).toBeUndefined();
    expect((await centre.run([abandoned])).results[0]?.outcome).toBe('duplicate');
  });

  it.each<[string, (input?: unknown, ctx?: AttemptContext) => unknown, object]>([
    [
      'a thrown error with its stack',
      () => {
        throw new TypeError('no');
      },
      { outcome: 'failed', error: { name: 'TypeError', message: 'no', stack: expect.stringContaining('TypeError: no') } },
    ],
    [
      'NonRetryableError',
      () => {
        throw new NonRetryableError('never');
      },
      { outcome: 'failed', error: { message: 'never', retryable: false } },
    ],
    [
      'RetryAfterError',
      async () => {
        throw new RetryAfterError(1500);
      },
      { outcome: 'failed', error: { retryAfterMs: 1500 } },
    ],
    [
      'something thrown that is no error',
      () => {
        throw { code: 7 };
      },
      { outcome: 'failed', error: { name: 'NonErrorThrown', message: '{"code":7}' } },
    ],
    ['no result as null', () => undefined, { outcome: 'succeeded', result: null }],
    ['a result at the size limit', () => 'x'.repeat(256 * 1024 - 2), { outcome: 'succeeded' }],
    [
      'a result beyond it',
      () => 'x'.repeat(256 * 1024 - 1),
      { outcome: 'failed', error: { name: 'ResultTooLargeError', retryable: false } },
    ],
    [
      'a result beyond it in bytes only',
      () => '界'.repeat(90_000),
      { outcome: 'failed', error: { name: 'ResultTooLargeError', retryable: false } },
    ],
    [
      'a result with NUL and half a surrogate pair',
      () => ({ text: 'a\0b', half: '\ud83d' }),
      { outcome: 'succeeded', result: { text: 'a\0b' } },
    ],
    [
      'a result of 5 MiB',
      () => ({ text: 'x'.repeat(5 * 1024 * 1024) }),
      { outcome: 'failed', error: { name: 'ResultTooLargeError', message: expect.stringContaining('5242'), retryable: false } },
    ],
    ['a result as deep as the centre reads', () => nested(LIMITS.carriedJsonDepth), { outcome: 'succeeded' }],
    [
      'a deeper result',
      () => nested(LIMITS.carriedJsonDepth + 1),
      { outcome: 'failed', error: { name: 'ResultTooDeepError', retryable: false } },
    ],
    [
      'a checkpoint deeper than the centre reads',
      (_, ctx) => {
        ctx?.checkpoint(nested(LIMITS.carriedJsonDepth));
        ctx?.checkpoint(nested(LIMITS.carriedJsonDepth + 1));
      },
      { outcome: 'failed', error: { name: 'RangeError', message: expect.stringContaining('deeper than 29 levels') } },
    ],
    [
      'a result whose toJSON throws',
      () => ({
        toJSON() {
          throw new Error('not me');
        },
      }),
      { outcome: 'failed', error: { name: 'ResultNotJsonError', message: expect.stringContaining('not me') } },
    ],
    [
      'a circular result',
      () => {
        const a: Record<string, unknown> = {};
        a.a = a;
        return a;
      },
      { outcome: 'failed', error: { name: 'ResultNotJsonError', message: expect.stringContaining('circular') } },
    ],
    [
      'a BigInt result',
      () => 1n,
      { outcome: 'failed', error: { name: 'ResultNotJsonError', message: expect.stringContaining('BigInt') } },
    ],
    [
      'an error whose message is no text',
      () => {
        throw Object.assign(new NonRetryableError('x'), { message: Object.create(null) });
      },
      { outcome: 'failed', error: { name: 'NonRetryableError', message: '[unreadable]', retryable: false } },
    ],
    [
      'an error that cannot be read',
      () => {
        throw new Proxy(new Error('x'), {
          get: () => {
            throw new Error('no');
          },
        });
      },
      { outcome: 'failed', error: { name: '[unreadable]', message: '[unreadable]' } },
    ],
    [
      'a result whose toJSON throws what is no text',
      () => ({
        toJSON: () => {
          throw Object.create(null);
        },
      }),
      { outcome: 'failed', error: { name: 'ResultNotJsonError', message: expect.stringContaining('[unreadable]') } },
    ],
    [
      'a thrown proxy of which nothing can be asked',
      () => {
        const no = () => {
          throw new Error('no');
        };
        throw new Proxy({}, { get: no, getPrototypeOf: no, ownKeys: no });
      },
      { outcome: 'failed', error: { name: 'NonErrorThrown' } },
    ],
  ])('reports %s', async (_, handler, expected) => {
    await world.worker().handle('echo', handler).start();
    const { taskId } = order();
    await centre.run([order({ taskId })]);
    expect(await ended(taskId)).toMatchObject(expected);
  });

  it('checks input and output by their schemas', async () => {
    const number: StandardSchemaV1<number, number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => (typeof value === 'number' ? { value } : { issues: [{ message: 'not a number', path: ['n'] }] }),
      },
    };
    let ran = 0;
    const double = defineTask({ name: 'double', input: number, output: number });
    const bad = defineTask({ name: 'bad', output: number });
    const worker = world.worker().handle(double, (n) => {
      ran++;
      return n * 2;
    });
    await worker.handle(bad, () => 'x' as unknown as number).start();
    const [good, wrong, lying] = [
      order({ handler: 'double', params: 4 }),
      order({ handler: 'double', params: 'four' }),
      order({ handler: 'bad' }),
    ];
    await centre.run([good, wrong, lying]);
    expect(await ended(good.taskId)).toMatchObject({ outcome: 'succeeded', result: 8 });
    expect(await ended(wrong.taskId)).toMatchObject({
      outcome: 'failed',
      error: { name: 'InvalidParamsError', message: 'n: not a number', retryable: false },
    });
    expect(await ended(lying.taskId)).toMatchObject({ outcome: 'failed', error: { name: 'InvalidResultError' } });
    expect(ran).toBe(1);
  });

  it('sends the first result at once and gathers those that end while a request is out', async () => {
    let ran = 0;
    await world
      .worker({ slots: 50 })
      .handle('echo', () => ++ran)
      .start();
    const answerNow = centre.holdResults();
    await centre.run([order()]);
    await until('the first request is out', () => centre.resultRequests.length === 1);
    await centre.run(Array.from({ length: 10 }, () => order()));
    await centre.run(Array.from({ length: 10 }, () => order()));
    await until('all ran', () => ran === 21);
    answerNow();
    await until('all delivered', () => centre.results.length === 21);
    expect(centre.resultRequests.map((request) => request.length)).toEqual([1, 20]);
  });

  it('splits results at 512 KiB a request', async () => {
    const answerNow = centre.holdResults();
    await world
      .worker({ slots: 50 })
      .handle('echo', () => 'x'.repeat(200_000))
      .start();
    await centre.run(Array.from({ length: 5 }, () => order()));
    answerNow();
    await until('all delivered', () => centre.results.length === 5);
    expect(Math.max(...centre.resultRequests.map((request) => JSON.stringify(request).length))).toBeLessThan(512 * 1024);
  });

  it('sends a result again until it is acknowledged', async () => {
    let asked = 0;
    centre.verdict = () => (++asked < 3 ? undefined : 'duplicate');
    await world
      .worker()
      .handle('echo', () => 1)
      .start();
    await centre.run([order()]);
    await until('acknowledged', () => asked === 3 && centre.beats.at(-1)?.attempts.length === 0);
    expect(centre.resultRequests).toHaveLength(3);
  });

  it('lets one result that the centre cannot read not stand in the way of the others', async () => {
    const poison = order({ params: 'poison' });
    centre.refuses = (result) => result.result === 'poison';
    await world
      .worker()
      .handle('echo', (input) => input)
      .start();
    await centre.run([order(), poison, order()]);
    await until('all three', () => centre.results.length === 3);
    expect(centre.resultOf(poison.taskId)).toMatchObject({ outcome: 'failed', error: { name: 'ResultRefusedError' } });
  });
});
