import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { checkSubmission } from '../../src/decisions/check-submission.js';
import { SubmitTaskDto } from '../../src/openapi/submit-task.dto.js';

const acceptedByDto = (body: object) =>
  validateSync(plainToInstance(SubmitTaskDto, body), { whitelist: true, forbidNonWhitelisted: true }).length === 0;
const acceptedByTable = (body: object) => checkSubmission(body, { nowMs: 0, clientRequestIdRequired: false, pointer: '' }).ok;

describe('the documented shape and the checked one', () => {
  it.each<[string, object, boolean]>([
    ['nothing but a handler', { handler: 'echo' }, true],
    [
      'all simple fields',
      { handler: 'echo', delayMs: 5, priority: 1, timeoutMs: 0, repeatable: false, requireHandler: true },
      true,
    ],
    ['a retry', { handler: 'echo', retry: { kind: 'fixed', maxRetries: 1, delayMs: 1 } }, true],
    ['metadata', { handler: 'echo', metadata: { a: 'b' } }, true],
    ['no handler', {}, false],
    ['null for absent', { handler: 'echo', delayMs: null }, false],
    ['text for a number', { handler: 'echo', priority: '5' }, false],
    ['an unknown field', { handler: 'echo', other: 1 }, false],
    ['an incomplete retry', { handler: 'echo', retry: { kind: 'fixed' } }, false],
  ])('agree about %s', (_what, body, accepted) => {
    expect([acceptedByDto(body), acceptedByTable(body)]).toEqual([accepted, accepted]);
  });

  it('agree about any one field', () => {
    const fields = fc.constantFrom(
      'group',
      'delayMs',
      'priority',
      'timeoutMs',
      'retry',
      'repeatable',
      'routing',
      'metadata',
      'clientRequestId',
    );
    fc.assert(
      fc.property(fields, fc.oneof(fc.jsonValue(), fc.integer(), fc.string()), (name, value) => {
        const body = { handler: 'echo', [name]: value };
        return acceptedByDto(body) === acceptedByTable(body);
      }),
    );
  });
});
