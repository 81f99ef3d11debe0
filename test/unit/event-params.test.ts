import { checkEvent } from '../../src/decisions/check-event.js';
import { eventParams } from '../../src/decisions/event-params.js';

const sent = { id: 'evt_1', name: 'order.paid', payload: '{"n":12345678901234567890}' };
const EVENT = '"event":{"id":"evt_1","name":"order.paid","payload":{"n":12345678901234567890}}';

describe('the params of a task an event fires', () => {
  it.each([
    ['null', `{${EVENT}}`],
    ['{}', `{${EVENT}}`],
    ['{"a":1.00000000000000000001}', `{"a":1.00000000000000000001,${EVENT}}`],
    ['[1,2]', `{"params":[1,2],${EVENT}}`],
    ['"text"', `{"params":"text",${EVENT}}`],
    ['{"event":"mine","a":1}', `{"a":1,${EVENT}}`],
    ['{"event":"mine"}', `{${EVENT}}`],
  ])('of a job with %s', (params, expected) => {
    expect(eventParams(params, sent)).toBe(expected);
    expect(() => JSON.parse(expected)).not.toThrow();
  });
});

describe('an event', () => {
  it.each([
    [{ clientRequestId: 'a', name: 'x' }, []],
    [{ clientRequestId: 'a', name: 'x', payload: null }, []],
    [{}, ['/clientRequestId required', '/name required']],
    [{ clientRequestId: 1, name: ' x', other: 1 }, ['/clientRequestId wrong_type', '/name bad_format', '/other unknown_field']],
  ])('%j breaks %j', (body, expected) => {
    expect(checkEvent(body, 'null').map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected);
  });

  it('has a payload of at most 32 KiB', () => {
    const body = { clientRequestId: 'a', name: 'x' };
    expect(checkEvent(body, `"${'x'.repeat(32 * 1024 - 2)}"`)).toEqual([]);
    expect(checkEvent(body, `"${'x'.repeat(32 * 1024 - 1)}"`)[0]?.code).toBe('too_large');
  });
});
