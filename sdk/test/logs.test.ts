import { LIMITS, type LogLine } from '../src/contract/index.js';
import type { AttemptContext } from '../src/worker/index.js';
import { type FakeCentre, order, until } from './fake-centre.js';
import { World } from './world.js';

describe('logs', () => {
  let world: World;
  let centre: FakeCentre;
  const messages = (lines: LogLine[]) => lines.map(({ message }) => message);
  const gapless = (lines: LogLine[]) => expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
  const ended = (taskId: string) => until(`result of ${taskId}`, () => centre.resultOf(taskId));

  beforeEach(async () => {
    world = await World.open();
    centre = world.centre;
  });
  afterEach(() => world.close());

  it('arrive while the handler runs, in order, and stand in the own log too', async () => {
    const gate = world.gate();
    const handler = async (_: unknown, { log }: AttemptContext) => {
      log.info('first', { n: 1 });
      log.warn('second');
      log.debug('not shipped by default');
      await gate.opened;
      log.error('last', { error: new TypeError('no') });
    };
    await world.worker().handle('echo', handler).start();
    const each = order({ attempt: 3 });
    await centre.run([each]);
    await until('two lines', () => centre.linesOf(each.taskId).length === 2);
    expect(centre.results).toEqual([]);
    expect(centre.lines[0]).toMatchObject({ taskId: each.taskId, lease: 2, attempt: 3, seq: 1, level: 'info', fields: { n: 1 } });
    gate.open();
    await ended(each.taskId);
    expect(messages(centre.lines)).toEqual(['first', 'second', 'last']);
    gapless(centre.lines);
    expect(centre.lines[2]).toMatchObject({ level: 'error', fields: { error: { name: 'TypeError', message: 'no' } } });
    expect(world.logged('first')?.fields).toMatchObject({ n: 1, taskId: each.taskId, attempt: 3 });
    expect(world.logged('not shipped by default')).toBeDefined();
  });

  it('the last lines of an attempt are there before its result', async () => {
    await world
      .worker({ slots: 20 })
      .handle('echo', (_: unknown, { log }: AttemptContext) => log.info('done'))
      .start();
    await centre.run(Array.from({ length: 20 }, () => order()));
    await until('all results', () => centre.results.length === 20);
    expect(centre.lines).toHaveLength(20);
    expect(centre.calls.indexOf('logs')).toBeLessThan(centre.calls.indexOf('results'));
  });

  it('a result does not wait for lines the centre does not take', async () => {
    centre.behaviour.logs = 'silent';
    await world
      .worker()
      .handle('echo', (_: unknown, { log }: AttemptContext) => log.info('done'))
      .start();
    const each = order();
    await centre.run([each]);
    expect(await ended(each.taskId)).toMatchObject({ outcome: 'succeeded' });
  });

  it('stop at 1 MiB of an attempt with one notice, and every line is counted', async () => {
    const handler = (_: unknown, { log }: AttemptContext) => {
      for (let n = 0; n < 200; n++) log.info('x'.repeat(10_000));
    };
    await world.worker().handle('echo', handler).start();
    const each = order();
    await centre.run([each]);
    await ended(each.taskId);
    await until('the notice', () => centre.lines.at(-1)?.message.startsWith('log limit of 1 MiB reached'));
    gapless(centre.lines);
    expect(centre.lines.length).toBeGreaterThan(95);
    expect(JSON.stringify(centre.lines).length).toBeLessThanOrEqual(LIMITS.attemptLogBytes);
    expect(messages(centre.lines).filter((each) => each.startsWith('log limit'))).toHaveLength(1);
    for (const lines of centre.logRequests) expect(JSON.stringify(lines).length).toBeLessThan(LIMITS.channelRequestBytes);
  });

  it('cut long messages, and take whatever a handler logs', async () => {
    const circular: Record<string, unknown> = { list: [{}], big: 1n };
    circular.self = circular;
    const handler = (_: unknown, { log }: AttemptContext) => {
      log.info('界'.repeat(10_000), { long: 'x'.repeat(20_000) });
      log.info('nul \0 and half a pair \ud83d', { half: '\udc00', path: 'C:\\ud83d', ...circular });
      log.info('deep', { list: JSON.parse('['.repeat(LIMITS.carriedJsonDepth) + ']'.repeat(LIMITS.carriedJsonDepth)) });
      log.info(undefined as unknown as string, {
        get thrower() {
          return 1;
        },
        toJSON() {
          throw new Error('not me');
        },
      });
    };
    await world.worker().handle('echo', handler).start();
    const each = order();
    await centre.run([each]);
    expect(await ended(each.taskId)).toMatchObject({ outcome: 'succeeded' });
    const [long, odd, deep, thrown] = centre.lines;
    expect(Buffer.byteLength(long?.message ?? '')).toBeLessThanOrEqual(LIMITS.logMessageBytes);
    expect(long?.message).toMatch(/^界+…$/);
    expect(long?.fields).toHaveProperty('leftOut');
    expect(odd).toMatchObject({
      message: 'nul \0 and half a pair \ufffd',
      fields: { half: '\ufffd', path: 'C:\\ud83d', big: '1' },
    });
    expect(odd?.fields).toMatchObject({ self: { self: '[circular]' } });
    expect(deep?.fields).toEqual({ leftOut: 'the fields are nested deeper than 29 levels' });
    expect(thrown?.fields).toEqual({ unwritable: 'not me' });
  });

  it('never make a handler fail, whatever its fields and the worker’s own logger do', async () => {
    const fail = () => {
      throw new Error('no logger');
    };
    const fields = {
      get broken(): never {
        throw new Error('no field');
      },
    };
    await world
      .worker({ logger: { ...world.logger, warn: fail } })
      .handle('echo', (_: unknown, { log }: AttemptContext) => {
        log.info('unreadable', fields);
        log.warn('unheard', { n: 1 });
      })
      .start();
    const each = order();
    await centre.run([each]);
    expect(await ended(each.taskId)).toMatchObject({ outcome: 'succeeded' });
    expect(centre.linesOf(each.taskId)).toMatchObject([
      { message: 'unreadable', fields: { unwritable: 'no field' } },
      { message: 'unheard', fields: { n: 1 } },
    ]);
    expect(world.logged('unreadable')?.fields).toMatchObject({ unwritable: 'no field', taskId: each.taskId });
  });

  it('wait while the centre is away, in bounded memory: the oldest are dropped and said to be', async () => {
    centre.behaviour.logs = { status: 503 };
    const write = (input: number, { log }: AttemptContext) => {
      for (let n = 0; n < 90; n++) log.info(`${input}/${n} ${'x'.repeat(10_000)}`);
    };
    await world.worker({ slots: 20 }).handle('echo', write).start();
    const orders = Array.from({ length: 16 }, (_, n) => order({ params: n }));
    await centre.run(orders);
    await until('all ended', () => centre.results.length === 16);
    centre.behaviour.logs = 'serve';
    const last = orders.at(-1)?.taskId as string;
    await until('the newest lines', () => centre.linesOf(last).length === 90, 30_000);
    gapless(centre.linesOf(last));
    const lossy = orders
      .map(({ taskId }) => centre.linesOf(taskId))
      .filter((lines) => lines[0]?.message.includes('were dropped'));
    expect(lossy.length).toBeGreaterThan(0);
    for (const lines of lossy) {
      gapless(lines);
      const kept = lines.length - 1;
      const dropped = Number(/^(\d+) lines were dropped/.exec(lines[0]?.message ?? '')?.[1]);
      expect(kept + dropped).toBeLessThanOrEqual(90);
    }
  });

  it('are sent again with the same numbers until they arrive', async () => {
    centre.behaviour.logs = { status: 503 };
    await world
      .worker()
      .handle('echo', (_: unknown, { log }: AttemptContext) => log.info('once'))
      .start();
    const each = order();
    await centre.run([each]);
    await until('tried', () => centre.calls.filter((call) => call === 'logs').length >= 1);
    await ended(each.taskId);
    centre.behaviour.logs = 'serve';
    await until('there', () => centre.lines.length > 0);
    expect(centre.lines).toMatchObject([{ seq: 1, message: 'once' }]);
  });

  it('are switched off with one warning by a centre that has no place for them, and on again when the worker registers anew', async () => {
    centre.behaviour.logs = { status: 404, body: { code: 'not_found', title: 'no such route' } };
    await world
      .worker()
      .handle('echo', (_: unknown, { log }: AttemptContext) => log.info('line'))
      .start();
    const run = async () => {
      const { taskId } = order();
      await centre.run([order({ taskId })]);
      await ended(taskId);
    };
    await run();
    await run();
    await run();
    expect(centre.calls.filter((call) => call === 'logs')).toHaveLength(1);
    expect(world.log.filter(({ message }) => message.startsWith('the centre takes no logs'))).toHaveLength(1);
    centre.behaviour.logs = 'serve';
    centre.behaviour.heartbeat = { status: 404, body: { code: 'not_found', title: 'not found' } };
    await until('registered again', () => centre.registrations.length === 2);
    centre.behaviour.heartbeat = 'serve';
    await run();
    expect(centre.lines).toHaveLength(1);
  });

  it('end for an attempt the centre takes no more of', async () => {
    const gate = world.gate();
    const handler = async (_: unknown, { log }: AttemptContext) => {
      log.info('first');
      await gate.opened;
      log.info('second');
    };
    await world.worker().handle('echo', handler).start();
    const each = order();
    centre.refusedLogs = [{ taskId: each.taskId, lease: 2, reason: 'too_much' }];
    await centre.run([each]);
    await until('refused', () => world.logged('log lines not kept by the centre'));
    gate.open();
    await ended(each.taskId);
    expect(messages(centre.lines)).toEqual(['first']);
  });

  it('stay here if the worker is told so, and go from another level on if told that', async () => {
    const write = (_: unknown, { log }: AttemptContext) => {
      log.debug('d');
      log.info('i');
    };
    await world.worker({ workerId: 'w1', shipLogs: 'debug' }).handle('echo', write).start();
    const first = order();
    await centre.run([first]);
    await ended(first.taskId);
    expect(messages(centre.lines)).toEqual(['d', 'i']);
    await world.worker({ workerId: 'w2', shipLogs: false }).handle('echo', write).start();
    const second = order();
    await centre.run([second]);
    await ended(second.taskId);
    expect(centre.linesOf(second.taskId)).toEqual([]);
  });

  it('that a stopping worker still has are sent before it leaves', async () => {
    const worker = world.worker().handle('echo', (_: unknown, { log }: AttemptContext) => log.info('bye'));
    await worker.start();
    await centre.run([order()]);
    await worker.stop();
    expect(messages(centre.lines)).toEqual(['bye']);
    expect(centre.calls.indexOf('logs')).toBeLessThan(centre.calls.indexOf('deregister'));
  });
});
