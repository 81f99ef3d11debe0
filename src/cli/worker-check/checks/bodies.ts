import type { Check } from '../check.js';
import { Skip, said } from '../check-run.js';

const MIB = 1024 * 1024;
const WRONG: [string, object][] = [
  ['lease', { lease: '2' }],
  ['priority', { priority: 11 }],
  ['timeoutMs', { timeoutMs: 1.5 }],
  ['attempt', { attempt: 0 }],
  ['taskId', { taskId: 'with"quote' }],
  ['params', { params: undefined }],
  ['shard', { shard: { index: 2, total: 2 } }],
];

export const BODY_CHECKS: Check[] = [
  {
    title: 'answers 404, 405, 413 and 400 where they belong',
    async run(run) {
      const faults: string[] = [];
      const expected: [number, string, string, unknown, string][] = [
        [404, 'GET', '/nothing-here', undefined, 'an unknown path'],
        [405, 'GET', '/run', undefined, 'GET /run'],
        [413, 'POST', '/run', 'x'.repeat(2 * MIB), 'a body of 2 MiB'],
        [400, 'POST', '/run', 'no json', 'a signed body that is not JSON'],
        [400, 'POST', '/run', [], 'an array instead of an object'],
      ];
      for (const [wanted, method, path, body, what] of expected) {
        const { status, text } = await run.caller.call(method, path, body);
        // A connection that is closed while 2 MiB are still on their way says the same.
        if (status !== wanted && !(wanted === 413 && status === 0))
          faults.push(`${what} is answered ${said(status, text)} instead of ${wanted}`);
      }
      return faults;
    },
  },
  {
    title: 'refuses a malformed order with 400, names the field and takes nothing of the request',
    async run(run) {
      const faults: string[] = [];
      const unknown = { handler: 'evenkeel.check.unknown', params: null };
      for (const [field, change] of WRONG) {
        const body = run.request([{ ...run.order(unknown), ...change }]);
        const { status, text, json } = await run.caller.call('POST', '/run', body);
        const { code, errors } = (json ?? {}) as { code?: string; errors?: { pointer?: string }[] };
        if (status !== 400) faults.push(`an order with a wrong ${field} is answered ${said(status, text)} instead of 400`);
        else if (code !== 'validation_failed' || !errors?.[0]?.pointer?.startsWith(`/tasks/0/${field}`))
          faults.push(
            `an order with a wrong ${field}: the answer has no code "validation_failed" with errors[0].pointer "/tasks/0/${field}…"`,
          );
      }
      return faults;
    },
  },
  {
    title: 'takes nothing of a request of which one order is malformed',
    async run(run) {
      const good = run.order(run.quick);
      await run.caller.call('POST', '/run', run.request([good, { ...run.order(run.quick), lease: '2' }]));
      await run.expect('accepted', good, 'the good order of a request that was refused with 400, sent again,');
      await run.result(good);
      return [];
    },
  },
  {
    title: 'ignores fields it does not know',
    async run(run) {
      const task = { ...run.order(run.quick), fromTheFuture: { a: 1 } };
      await run.expect('accepted', task, 'an order with an unknown field', { fromTheFuture: true });
      await run.result(task);
      return [];
    },
  },
  {
    title: 'reports results of any text as they are',
    async run(run) {
      if (run.quick.handler !== 'echo') throw new Skip('needs a handler "echo" that answers its params');
      const params = { text: '你好 \u2028 "\\ \u0000 é', number: 1.5, nested: [[], {}, null, false] };
      const task = run.order(run.quick, { params });
      await run.expect('accepted', task, 'an order');
      const { result } = await run.result(task);
      return JSON.stringify(result) === JSON.stringify(params)
        ? []
        : [`echo answers ${JSON.stringify(result)} to ${JSON.stringify(params)}`];
    },
  },
];
