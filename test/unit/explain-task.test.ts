import { explainTask, type TaskFacts } from '../../src/decisions/explain-task.js';

const NOW = 1_800_000_000_000;
const facts = (more: Partial<TaskFacts> = {}): TaskFacts => ({
  now: NOW,
  state: 'PENDING',
  reason: null,
  dueAt: NOW - 1_000,
  cancelAsked: false,
  attempt: 1,
  retries: 0,
  crashes: 0,
  workerId: null,
  error: null,
  job: null,
  maintenance: null,
  hold: null,
  quota: { running: 0, maxRunning: 10, ahead: 0 },
  funnel: { online: 2, group: 2, handler: 2, filter: 2, accepting: 2, free: 2 },
  stopOverdue: false,
  cordoned: [],
  filter: { tags: [], zone: null, worker: null },
  upstreams: null,
  dispatchRate: null,
  shards: null,
  refusals: 0,
  lastRefusal: null,
  partition: { no: 3, holder: 'n1', leftMs: 9_000 },
  ...more,
});
const full = { running: 10, maxRunning: 10, ahead: 4 };
const none = { online: 2, group: 2, handler: 0, filter: 0, accepting: 0, free: 0 };

describe('the explanation of a task', () => {
  it.each<[string, Partial<TaskFacts>, ReturnType<typeof explainTask>['verdict']]>([
    ['starts at once', {}, { kind: 'resolves_itself', check: null, reason: 'dispatching' }],
    ['is not due', { state: 'SCHEDULED', dueAt: NOW + 5_000 }, { kind: 'resolves_itself', check: 'due', reason: 'not_due' }],
    ['backs off', { state: 'RETRYING', dueAt: NOW + 5_000 }, { kind: 'resolves_itself', check: 'due', reason: 'retry_backoff' }],
    [
      'is held for a while',
      { hold: { reason: 'x', until: NOW + 1 } },
      { kind: 'resolves_itself', check: 'group_hold', reason: 'group_hold' },
    ],
    [
      'is held for good',
      { hold: { reason: 'x', until: null } },
      { kind: 'needs_you', check: 'group_hold', reason: 'group_hold' },
    ],
    [
      'waits for the end of a maintenance hold, whatever else holds it',
      { maintenance: { reason: 'x', until: NOW + 1, by: 'user:a' }, hold: { reason: 'x', until: null }, funnel: none },
      { kind: 'resolves_itself', check: 'maintenance', reason: 'maintenance_hold' },
    ],
    [
      'waits for the release of a maintenance hold',
      { maintenance: { reason: 'x', until: null, by: 'user:a' } },
      { kind: 'needs_you', check: 'maintenance', reason: 'maintenance_hold' },
    ],
    ['waits for quota', { quota: full }, { kind: 'resolves_itself', check: 'quota', reason: 'group_quota' }],
    [
      'has no quota at all',
      { quota: { ...full, running: 0, maxRunning: 0 } },
      { kind: 'needs_you', check: 'quota', reason: 'group_quota' },
    ],
    ['has nobody to run it', { funnel: none }, { kind: 'needs_you', check: 'workers', reason: 'no_worker' }],
    [
      'waits for room',
      { funnel: { ...none, handler: 2, filter: 2, accepting: 2 } },
      { kind: 'resolves_itself', check: 'workers', reason: 'workers_busy' },
    ],
    [
      'has draining workers only',
      { funnel: { ...none, handler: 2, filter: 2 } },
      { kind: 'needs_you', check: 'workers', reason: 'workers_busy' },
    ],
    [
      'asks for tags nobody has',
      { funnel: { ...none, handler: 2 }, filter: { tags: ['gpu'], zone: null, worker: null } },
      { kind: 'needs_you', check: 'workers', reason: 'no_worker' },
    ],
    ['waits for the rate', { dispatchRate: 5 }, { kind: 'resolves_itself', check: 'dispatch_rate', reason: 'dispatch_rate' }],
    [
      'waits for an upstream',
      { state: 'BLOCKED', upstreams: { waiting: true, outstanding: 1, failed: 0, waitingFor: ['t'] } },
      { kind: 'resolves_itself', check: 'upstreams', reason: 'waiting_for_upstream' },
    ],
    [
      'does not stop',
      { state: 'RUNNING', cancelAsked: true, stopOverdue: true },
      { kind: 'resolves_itself', check: 'dispatch', reason: 'waiting_for_abort' },
    ],
    [
      'waits for its shards',
      { state: 'RUNNING', shards: { total: 4, done: 1, failed: 0, running: 3, pending: 0 } },
      { kind: 'resolves_itself', check: 'shards', reason: 'waiting_for_shards' },
    ],
    ['runs', { state: 'RUNNING', workerId: 'w1' }, { kind: 'nothing_to_do', check: null, reason: null }],
    [
      'is being cancelled',
      { state: 'RUNNING', cancelAsked: true },
      { kind: 'resolves_itself', check: 'dispatch', reason: 'cancel_requested' },
    ],
    ['succeeded', { state: 'SUCCEEDED' }, { kind: 'nothing_to_do', check: null, reason: null }],
    [
      'failed',
      { state: 'FAILED', reason: 'retries_exhausted' },
      { kind: 'needs_you', check: 'outcome', reason: 'retries_exhausted' },
    ],
    [
      'was cancelled',
      { state: 'CANCELLED', reason: 'cancelled_by_operator' },
      { kind: 'nothing_to_do', check: 'outcome', reason: 'cancelled_by_operator' },
    ],
    [
      'was missed',
      { state: 'SKIPPED', reason: 'misfire_window' },
      { kind: 'needs_you', check: 'outcome', reason: 'misfire_window' },
    ],
    [
      'has no dispatcher for a moment',
      { partition: { no: 3, holder: null, leftMs: -1 } },
      { kind: 'resolves_itself', check: 'scheduler', reason: null },
    ],
    [
      'has had no dispatcher for long',
      { partition: { no: 3, holder: 'n1', leftMs: -60_000 } },
      { kind: 'needs_you', check: 'scheduler', reason: null },
    ],
  ])('says of one that %s what follows', (_, more, verdict) => {
    expect(explainTask(facts(more)).verdict).toEqual(verdict);
  });

  it('names the workers that could run it but for a cordon', () => {
    const funnel = { ...none, handler: 1, filter: 1 };
    const { checks, verdict } = explainTask(facts({ funnel, cordoned: ['w3'] }));
    expect(verdict).toEqual({ kind: 'needs_you', check: 'workers', reason: 'workers_busy' });
    expect(checks.find(({ check }) => check === 'workers')?.evidence).toMatchObject({ accepting: 0, cordoned: ['w3'] });
  });

  it('is not held back by a maintenance hold once it has started', () => {
    const maintenance = { reason: 'x', until: null, by: 'user:a' };
    expect(explainTask(facts({ state: 'RUNNING', maintenance })).verdict.kind).toBe('nothing_to_do');
  });

  it('asks in the order of the scheduling centre, and names the first that blocks', () => {
    const { checks, verdict } = explainTask(facts({ hold: { reason: 'x', until: null }, quota: full, funnel: none }));
    expect(checks.filter(({ result }) => result === 'blocks').map(({ check }) => check)).toEqual([
      'group_hold',
      'quota',
      'workers',
    ]);
    expect(verdict.check).toBe('group_hold');
  });
});
