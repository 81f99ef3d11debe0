import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { CALLBACK_BODY_BYTES, type EndedFacts, plainEventBody, taskEventBody } from '../../../src/decisions/callback-body.js';
import { afterOutcome, HEALTHY, isBeyondHope, isHealthy, type TargetHealth } from '../../../src/decisions/callback-circuit.js';
import {
  type AttemptFacts,
  classOf,
  delaysOf,
  endsChallenge,
  nextDelay,
  RETRY_PLAN,
  retryAfterMs,
} from '../../../src/decisions/callback-schedule.js';
import { webhookSignature } from '../../../src/decisions/webhook-signature.js';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const facts = (more: Partial<AttemptFacts>): AttemptFacts => ({ status: null, failure: null, retryAfter: null, ...more });

describe('how an attempt ended', () => {
  it.each([
    [{ status: 200 }, 'success'],
    [{ status: 204 }, 'success'],
    [{ status: 302 }, 'failure'],
    [{ status: 400 }, 'failure'],
    [{ status: 410 }, 'gone'],
    [{ status: 429 }, 'overload'],
    [{ status: 500 }, 'failure'],
    [{ status: 502 }, 'overload'],
    [{ status: 503 }, 'overload'],
    [{ status: 504 }, 'overload'],
    [{ failure: 'timeout' }, 'overload'],
    [{ failure: 'dns' }, 'failure'],
    [{ failure: 'connect' }, 'failure'],
    [{ failure: 'tls' }, 'failure'],
    [{ failure: 'too_large' }, 'failure'],
    [{ failure: 'blocked' }, 'blocked'],
  ] as const)('%j is %s', (told, kind) => {
    expect(classOf(facts(told))).toBe(kind);
  });
});

describe('the schedule', () => {
  const failed = facts({ status: 500 });
  it('has eleven attempts within about three days, each pause within a fifth of its plan', () => {
    const plan = [5_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR];
    for (const [i, planned] of plan.entries()) {
      expect(nextDelay(failed, i + 1, 0, NOW, 0)).toBe(planned * 0.8);
      expect(nextDelay(failed, i + 1, 0, NOW, 0.5)).toBe(planned);
      expect(nextDelay(failed, i + 1, 0, NOW, 1)).toBe(planned * 1.2);
    }
    expect(nextDelay(failed, 11, 0, NOW, 0.5)).toBeNull();
    expect(plan.reduce((sum, each) => sum + each)).toBeCloseTo(71.6 * HOUR, -5);
  });

  it('ends with a success and with 410, and after three more tries of a blocked address', () => {
    expect(nextDelay(facts({ status: 200 }), 1, 0, NOW, 0.5)).toBeNull();
    expect(nextDelay(facts({ status: 410 }), 1, 0, NOW, 0.5)).toBeNull();
    const blocked = facts({ failure: 'blocked' });
    expect([1, 2, 3, 4].map((n) => nextDelay(blocked, n, n, NOW, 0.5))).toEqual([5_000, MINUTE, 5 * MINUTE, null]);
  });

  it('is shown for each delivery as long as it will be', () => {
    const attempts = (...args: Parameters<typeof delaysOf>) => delaysOf(...args).length + 1;
    expect(attempts('event', { failures: 2, blocks: 0 }, false)).toBe(11);
    expect(attempts('test', { failures: 0, blocks: 0 }, false)).toBe(1);
    expect(attempts('challenge', { failures: 0, blocks: 0 }, false)).toBe(RETRY_PLAN.verificationAttempts);
    expect([1, 2, 3].map(endsChallenge)).toEqual([false, false, true]);
    // While it goes on being refused: four refusals, whatever else failed before.
    expect(attempts('event', { failures: 1, blocks: 1 }, true)).toBe(RETRY_PLAN.refusedAttempts);
    expect(attempts('event', { failures: 3, blocks: 1 }, true)).toBe(6);
    expect(attempts('event', { failures: 10, blocks: 1 }, true)).toBe(11);
    expect(attempts('challenge', { failures: 1, blocks: 1 }, true)).toBe(3);
    const blocked = facts({ failure: 'blocked' });
    const made = [1, 2, 3, 4, 5].findIndex((n) => nextDelay(blocked, n, n, NOW, 0.5) === null) + 1;
    expect(made).toBe(RETRY_PLAN.refusedAttempts);
  });

  it('gives an overloaded receiver a minute at least, and what it wishes within bounds, never earlier', () => {
    const busy = (retryAfter: string | null) => facts({ status: 503, retryAfter });
    expect(nextDelay(busy(null), 1, 0, NOW, 0)).toBe(MINUTE);
    expect(nextDelay(busy('120'), 1, 0, NOW, 0)).toBe(2 * MINUTE);
    expect(nextDelay(busy('120'), 1, 0, NOW, 1)).toBe(2 * MINUTE * 1.2);
    expect(nextDelay(busy('1'), 1, 0, NOW, 0)).toBe(MINUTE);
    expect(nextDelay(busy('86400'), 1, 0, NOW, 0)).toBe(HOUR);
    expect(nextDelay(busy('86400'), 5, 0, NOW, 0)).toBe(4 * HOUR);
  });

  it('reads whole seconds and dates to come, and nothing else', () => {
    expect(retryAfterMs('30', NOW)).toBe(30_000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', NOW)).toBe(10_000);
    for (const garbage of [
      '-1',
      '1.5',
      '86401',
      '1e3',
      'soon',
      '',
      'Thu, 01 Jan 2026 00:00:00 GMT',
      'Wed, 31 Dec 2025 00:00:00 GMT',
      '2026-01-02',
    ])
      expect(retryAfterMs(garbage, NOW)).toBeNull();
  });

  it('never plans a pause that is negative or longer than two days', () => {
    const failure = fc.constantFrom('dns', 'connect', 'tls', 'timeout', 'http', 'too_large', 'blocked', null);
    const told = fc.record({
      status: fc.option(fc.integer({ min: 100, max: 599 })),
      failure,
      retryAfter: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(told, fc.integer({ min: 1, max: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (each, failures, random) => {
        const delay = nextDelay(each as AttemptFacts, failures, failures, NOW, random);
        if (delay !== null) expect(delay >= 4_000 && delay <= 48 * HOUR).toBe(true);
      }),
    );
  });
});

describe('the circuit', () => {
  const fail = (health: TargetHealth, at: number, isProbe = false) => afterOutcome(health, false, at, isProbe);
  const failing = (times: number) =>
    Array.from({ length: times }).reduce((health: TargetHealth, _, i) => fail(health, NOW + i), HEALTHY);

  it('opens after five failures in a row for a minute, and doubles with each failed probe up to half an hour', () => {
    expect(failing(4).openUntil).toBeNull();
    let health = failing(5);
    const opened: number[] = [];
    for (let at = NOW + 4; opened.length < 8; ) {
      opened.push((health.openUntil as number) - at);
      at = health.openUntil as number;
      health = fail(health, at, true);
    }
    expect(opened).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((minutes) => minutes * MINUTE));
  });

  it('does not open longer for failures of what was sent before it opened', () => {
    const health = failing(5);
    expect(fail(health, NOW + 100).openUntil).toBe(health.openUntil);
  });

  it('opens when twelve of the last twenty failed, though never five in a row', () => {
    let health = HEALTHY;
    for (let i = 0; health.openUntil === null && i < 40; i++)
      health = afterOutcome(health, i % 5 === 4 || i % 5 === 2, NOW + i, false);
    expect(health.openUntil).not.toBeNull();
    expect(health.consecutiveFailures).toBeLessThan(5);
  });

  it('is closed and forgotten by a probe that succeeds', () => {
    expect(isHealthy(afterOutcome(failing(7), true, NOW + MINUTE, true))).toBe(true);
    expect(isHealthy(afterOutcome(failing(1), true, NOW + 6 * MINUTE, false))).toBe(true);
    expect(isHealthy(afterOutcome(failing(1), true, NOW + 1, false))).toBe(false);
  });

  it('gives an endpoint up after five days and twenty failures without a success', () => {
    const day = 24 * HOUR;
    expect(isBeyondHope(failing(20), NOW + 5 * day)).toBe(true);
    expect(isBeyondHope(failing(19), NOW + 5 * day)).toBe(false);
    expect(isBeyondHope(failing(20), NOW + 5 * day - 1)).toBe(false);
    expect(isBeyondHope(afterOutcome(failing(30), true, NOW + day, true), NOW + 9 * day)).toBe(false);
  });
});

describe('the body of a callback', () => {
  const ended = (more: Partial<EndedFacts> = {}): EndedFacts => ({
    id: 'task_01JGEXAMPLE0000000000000000',
    seq: 7,
    state: 'SUCCEEDED',
    reason: null,
    clientRequestId: 'order-1',
    jobId: null,
    scheduledAt: NOW,
    createdAt: NOW,
    endedAt: NOW + 1_000,
    attempts: 1,
    result: '{"n":1}',
    error: null,
    metadata: null,
    ...more,
  });

  it('is the documented one, byte for byte', () => {
    expect(taskEventBody('evt_1', ended({ metadata: '{"a":"b"}' }))).toBe(
      '{"id":"evt_1","type":"task.succeeded","timestamp":"2026-01-01T00:00:01.000Z","apiVersion":"2026-01-01","data":' +
        '{"taskId":"task_01JGEXAMPLE0000000000000000","executionId":"att_01JGEXAMPLE0000000000000000_1","jobId":null,"scheduledAt":null,' +
        '"clientRequestId":"order-1","status":"SUCCEEDED","reason":null,"seq":7,"createdAt":"2026-01-01T00:00:00.000Z",' +
        '"finishedAt":"2026-01-01T00:00:01.000Z","attempts":1,"result":{"n":1},' +
        '"resultUrl":"/openapi/v1/tasks/task_01JGEXAMPLE0000000000000000","error":null,"metadata":{"a":"b"}}}',
    );
  });

  it('keeps every digit of a result, and leaves out one that is too large', () => {
    expect(taskEventBody('evt_1', ended({ result: '12345678901234567890.10' }))).toContain('"result":12345678901234567890.10,');
    const body = taskEventBody('evt_1', ended({ result: JSON.stringify('x'.repeat(CALLBACK_BODY_BYTES)) }));
    expect(JSON.parse(body).data).toMatchObject({ result: null, resultTruncated: true });
  });

  it('is never larger than it may be: metadata that are go before a result that fits without them, and a large result before both', () => {
    const metadata = JSON.stringify(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, '你'.repeat(512)])));
    const [small, large] = ['{"n":1}', JSON.stringify('x'.repeat(CALLBACK_BODY_BYTES))];
    const told = (facts: Partial<EndedFacts>) => {
      const body = taskEventBody('evt_1', ended(facts));
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(CALLBACK_BODY_BYTES);
      const { data } = JSON.parse(body);
      return [data.result, data.resultTruncated, data.metadata, data.metadataTruncated];
    };
    expect(told({ metadata, result: small })).toEqual([{ n: 1 }, undefined, {}, true]);
    expect(told({ metadata, result: null })).toEqual([null, undefined, {}, true]);
    expect(told({ metadata, result: large })).toEqual([null, true, {}, true]);
    expect(told({ metadata: '{"a":"b"}', result: large })).toEqual([null, true, { a: 'b' }, undefined]);
    expect(told({ metadata: '{"a":"b"}', result: small })).toEqual([{ n: 1 }, undefined, { a: 'b' }, undefined]);
  });

  it('names the place of the result as a receiver behind a proxy calls it', () => {
    const { data } = JSON.parse(taskEventBody('evt_1', ended(), '/jobs'));
    expect(data.resultUrl).toBe('/jobs/openapi/v1/tasks/task_01JGEXAMPLE0000000000000000');
  });

  it('holds no half of a surrogate pair, wherever a message was cut', () => {
    const error = { name: 'E\ud83d', message: `${'m'.repeat(1_999)}😀` };
    const body = taskEventBody('evt_1', ended({ state: 'FAILED', result: null, error }));
    expect(body).not.toMatch(/\\ud[89a-f]/i);
    expect(JSON.parse(body).data.error).toEqual({ name: 'E\ufffd', message: `${'m'.repeat(1_999)}\ufffd` });
    const whole = { name: 'Error', message: 'naïve 😀' };
    expect(JSON.parse(taskEventBody('evt_1', ended({ error: whole }))).data.error).toEqual(whole);
  });

  it('tells the error without its stack', () => {
    const error = { name: 'Error', message: 'm'.repeat(9_000), stack: 'secret path' };
    const body = taskEventBody('evt_1', ended({ state: 'TIMED_OUT', result: null, error }));
    expect(JSON.parse(body)).toMatchObject({
      type: 'task.timed_out',
      data: { error: { name: 'Error', message: 'm'.repeat(2_000) } },
    });
    expect(body).not.toContain('secret path');
  });

  it('is signed so that a standard library verifies it, with each secret', () => {
    const secrets = ['a', 'b'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`);
    const body = plainEventBody('evt_1', 'webhook.ping', NOW, { text: 'naïve ✓' });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(secrets, 'evt_1', timestamp, body),
    };
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id: 'evt_1' });
    expect(() => new Webhook(secrets[0] as string).verify(`${body} `, headers)).toThrow();
  });
});
