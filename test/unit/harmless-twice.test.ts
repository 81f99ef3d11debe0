import { harmlessTwice } from '../../src/decisions/harmless-twice.js';

const TASKS = '/openapi/v1/tasks';
it.each([
  ['a read', 'GET', `${TASKS}/x`, null, true],
  ['a look at the head', 'HEAD', TASKS, null, true],
  ['a submission with its id', 'POST', TASKS, { clientRequestId: 'a' }, true],
  ['a submission without', 'POST', TASKS, { handler: 'a' }, false],
  ['a submission with an inherited id', 'POST', TASKS, Object.create({ clientRequestId: 'a' }), false],
  ['a submission that is no JSON', 'POST', TASKS, null, false],
  ['a batch of ids', 'POST', `${TASKS}/batch`, { items: [{ clientRequestId: 'a' }, { clientRequestId: 'b' }] }, true],
  ['a batch with one missing', 'POST', `${TASKS}/batch`, { items: [{ clientRequestId: 'a' }, null] }, false],
  ['an empty batch', 'POST', `${TASKS}/batch`, { items: [] }, false],
  ['a cancel', 'POST', `${TASKS}/x/cancel`, { clientRequestId: 'a' }, false],
  ['a deletion', 'DELETE', TASKS, { clientRequestId: 'a' }, false],
])('%s', (_what, method, path, body, expected) => {
  expect(harmlessTwice(method, path, body as Record<string, unknown> | null)).toBe(expected);
});
