import { type WaitingFacts, waitingReason } from '../../src/decisions/explain.js';

const facts: WaitingFacts = {
  state: 'PENDING',
  reason: null,
  cancelAsked: false,
  stopOverdue: false,
  groupHeld: false,
  handlerServed: true,
  workerHasRoom: true,
  groupAtQuota: false,
  groupHasRate: false,
  waitsForUpstream: false,
};

describe('why a task is not running', () => {
  it.each([
    [{ state: 'SCHEDULED' }, 'not_due'],
    [{ state: 'BLOCKED' }, 'waiting_for_turn'],
    [{ state: 'BLOCKED', waitsForUpstream: true }, 'waiting_for_upstream'],
    [{ state: 'RETRYING', reason: 'handler_failed' }, 'retry_backoff'],
    [{ maintenance: true, groupHeld: true, handlerServed: false }, 'maintenance_hold'],
    [{ groupHeld: true, handlerServed: false }, 'group_hold'],
    [{ handlerServed: false }, 'no_worker'],
    [{ groupAtQuota: true, workerHasRoom: false }, 'group_quota'],
    [{ workerHasRoom: false }, 'workers_busy'],
    [{ groupHasRate: true, workerHasRoom: false }, 'workers_busy'],
    [{ groupHasRate: true }, 'dispatch_rate'],
    [{}, 'dispatching'],
    [{ state: 'RUNNING', cancelAsked: true }, 'cancel_requested'],
    [{ state: 'RUNNING' }, null],
    [{ state: 'FAILED', reason: 'retries_exhausted' }, 'retries_exhausted'],
    [{ state: 'SUCCEEDED' }, null],
  ] as const)('%j is explained by %s', (more, expected) => {
    expect(waitingReason({ ...facts, ...more } as WaitingFacts)).toBe(expected);
  });
});
