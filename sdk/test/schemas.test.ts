import { z } from 'zod';
import { defineTask } from '../src/worker/index.js';
import { order, until } from './fake-centre.js';
import { World } from './world.js';

const resize = defineTask({
  name: 'resize',
  input: z.object({ url: z.url(), width: z.coerce.number().int().positive().default(100) }),
  output: z.object({ bytes: z.int() }),
});
/** Makes a Date of a text: such a schema has no JSON Schema of its output, and one of its input only if the library can tell. */
const late = defineTask({ name: 'late', input: z.custom<Date>((value) => value instanceof Date) });

describe('tasks with schemas of a real library', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.open();
  });
  afterEach(() => world.close());

  it('are offered with their JSON Schema when the worker registers, if there is one', async () => {
    await world
      .worker()
      .handle(resize, ({ width }) => ({ bytes: width }))
      .handle(late, () => null)
      .handle('plain', () => null, { paramsSchema: { type: 'string' } })
      .start();
    const { handlers } = world.centre.worker;
    const schemaOf = (name: string) => handlers.find((each) => each.name === name)?.paramsSchema;
    expect(schemaOf('resize')).toMatchObject({ type: 'object', properties: { url: { type: 'string', format: 'uri' } } });
    expect(schemaOf('late')).toBeUndefined();
    expect(schemaOf('plain')).toEqual({ type: 'string' });
  });

  it('give the handler what the schema makes of the input, and refuse other input for good', async () => {
    const { centre } = world;
    const seen: unknown[] = [];
    const handler = (input: { url: string; width: number }) => {
      seen.push(input);
      return { bytes: input.width };
    };
    await world.worker().handle(resize, handler).start();
    const good = order({ handler: 'resize', params: { url: 'https://example.com/a', width: '7' } });
    const bad = order({ handler: 'resize', params: { url: 'no', width: -1 } });
    await centre.run([good, bad]);
    expect(await until('result', () => centre.resultOf(good.taskId))).toMatchObject({
      outcome: 'succeeded',
      result: { bytes: 7 },
    });
    expect(await until('result', () => centre.resultOf(bad.taskId))).toMatchObject({
      outcome: 'failed',
      error: { name: 'InvalidParamsError', message: expect.stringMatching(/^url: .*; width: /), retryable: false },
    });
    expect(seen).toEqual([{ url: 'https://example.com/a', width: 7 }]);
  });
});
