// Compiled, never run: each line marked with @ts-expect-error must be refused by the compiler. Checked in this repository, and from
// the packed package as an ES module and as CommonJS.
import { createClient, type TaskView } from '@evenkeel/sdk/client';
import { runHandler } from '@evenkeel/sdk/testing';
import { createWorker, defineTask, type StandardSchemaV1 } from '@evenkeel/sdk/worker';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

declare const dateFromText: StandardSchemaV1<{ on: string }, { on: Date }>;
declare const total: StandardSchemaV1<{ cents: number }, { euros: string }>;

const bill = defineTask({ name: 'bill', input: dateFromText, output: total });
const resize = defineTask<{ url: string }, { bytes: number }>({ name: 'resize' });
const loose = defineTask({ name: 'loose', input: dateFromText });

const worker = createWorker({
  centre: 'http://127.0.0.1:1',
  key: '',
  secret: '',
  groups: ['g'],
  pools: { long: { concurrency: 2 } },
});
worker
  .handle(bill, async (input, ctx) => {
    holds<Equal<typeof input, { on: Date }>>();
    ctx.log.info('billing', { on: input.on });
    return { cents: input.on.getTime() };
  })
  .handle(resize, ({ url }) => ({ bytes: url.length }), { pool: 'long', concurrency: 1 })
  .handle(resize, { concurrency: 1 }, ({ url }) => ({ bytes: url.length }))
  .handle(loose, ({ on }) => on.toISOString())
  .handle('by-name', (input) => input);

// @ts-expect-error the result does not fit the task
worker.handle(bill, () => ({ cents: '1' }));
// @ts-expect-error the input is what the schema makes of it
worker.handle(bill, (input: { on: string }) => ({ cents: input.on.length }));
// @ts-expect-error no such property
worker.handle(resize, ({ size }) => ({ bytes: size }));

export async function submits(): Promise<void> {
  const client = createClient({ url: 'http://127.0.0.1:1', accessKey: '', secretKey: '' });
  const submitted = await client.submit(bill, { on: '2026-01-01' });
  const ended = await client.wait(submitted);
  holds<Equal<typeof ended.result, { euros: string } | null>>();
  const answer = await client.run(resize, { url: 'a' }, { timeoutMs: 1000, priority: 3 });
  holds<Equal<typeof answer, { bytes: number }>>();
  const view = await client.wait('task_1');
  holds<Equal<typeof view, TaskView>>();
  await client.submit('by-name', { anything: 1 });
  // @ts-expect-error what is submitted is what the schema takes
  await client.submit(bill, { on: new Date() });
  // @ts-expect-error the input is missing
  await client.run(resize, {});
}

export async function tests(): Promise<void> {
  const end = await runHandler(bill, async ({ on }) => ({ cents: on.getTime() }), { on: '2026-01-01' }, { attempt: 2 });
  holds<Equal<typeof end.result, { euros: string } | undefined>>();
  // @ts-expect-error the input does not fit the task
  await runHandler(resize, ({ url }) => ({ bytes: url.length }), { url: 1 });
}
