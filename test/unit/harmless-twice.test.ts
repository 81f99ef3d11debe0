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
  ['a run with its id', 'POST', `${TASKS}/run`, { clientRequestId: 'a' }, true],
  ['a run without', 'POST', `${TASKS}/run`, { handler: 'a' }, false],
  ['a job with its id', 'POST', '/openapi/v1/jobs', { clientRequestId: 'a' }, true],
  ['a job without', 'POST', '/openapi/v1/jobs', { key: 'a' }, false],
  ['an event with its id', 'POST', '/openapi/v1/events', { clientRequestId: 'a' }, true],
  ['a job run now', 'POST', '/openapi/v1/jobs/x/trigger', { clientRequestId: 'a' }, false],
  ['a change of a job', 'PUT', '/openapi/v1/jobs/x', { clientRequestId: 'a' }, false],
  ['a cancel', 'POST', `${TASKS}/x/cancel`, { clientRequestId: 'a' }, false],
  ['a deletion', 'DELETE', TASKS, { clientRequestId: 'a' }, false],
])('%s', (_what, method, path, body, expected) => {
  expect(harmlessTwice(method, path, body as Record<string, unknown> | null)).toBe(expected);
});
