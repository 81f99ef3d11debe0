/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { whyTask } = jest.requireActual<{
  whyTask: (task: object, code: (prefix: string, code: string) => string) => string;
}>('../../console/src/components/why-task');

const code = (prefix: string, text: string) => `<${prefix} ${text}>`;
const error = { name: 'Error', message: 'the bank says no' };

describe('the line of a list that says why', () => {
  it.each([
    ['of a queued task is what it waits for', { state: 'PENDING', reason: 'group_hold', error: null }, '<reason group_hold>'],
    [
      'of one that is tried again also what failed',
      { state: 'RETRYING', reason: 'retry_backoff', error },
      '<reason retry_backoff> · the bank says no',
    ],
    ['of a queued one nobody knows the reason of is what failed', { state: 'PENDING', reason: null, error }, error.message],
    ['of one that runs is no error of an attempt before', { state: 'RUNNING', reason: null, error }, ''],
    ['of one that stops is that', { state: 'RUNNING', reason: 'cancel_requested', error }, '<reason cancel_requested>'],
    ['of one that failed is its error', { state: 'FAILED', reason: 'handler_failed', error }, error.message],
    ['of one that was skipped is the reason', { state: 'SKIPPED', reason: 'overlap', error: null }, '<reason overlap>'],
    ['of a success is nothing', { state: 'SUCCEEDED', reason: null, error: null }, ''],
  ])('%s', (_, task, expected) => {
    expect(whyTask(task, code)).toBe(expected);
  });
});
