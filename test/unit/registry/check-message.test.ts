import { checkDeregister, checkHeartbeat, checkLogs, checkRegister, checkResults } from '../../../src/registry/check-message.js';
import { heartbeat, registration } from '../../support/registry-world.js';

type Change = Record<string, unknown>;
const result = { taskId: 'task_1', lease: 2, outcome: 'failed', startedAt: 1, endedAt: 2 };
const results = { workerId: 'w1', incarnation: registration('w1').incarnation, results: [result] };
const pointers = ({ errors }: { errors: { pointer: string; code: string }[] }) =>
  errors.map(({ pointer, code }) => `${pointer} ${code}`);

/** Unspecified, link-local, metadata, multicast and broadcast, also as a URL parser reads them. */
const NOWHERE = [
  ...['0.0.0.0', '0', '169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.1.1.', '224.0.0.1', '255.255.255.255'],
  ...['168.63.129.16', '100.100.100.200', '[::]', '[fe80::1]', '[ff02::1]', '[::ffff:169.254.169.254]', '[::ffff:0.0.0.0]'],
];
const ANYWHERE = [
  '127.0.0.1',
  'localhost',
  '10.0.0.7',
  '192.168.1.1',
  '172.17.0.2',
  '203.0.113.9',
  '[::1]',
  '[fd00::7]',
  'worker-1.lan',
];

describe('a registration', () => {
  const check = (change: Change) => pointers(checkRegister({ ...registration('w1'), ...change }));

  it('passes with every optional field and with fields of a later version', () => {
    const handlers = [{ name: 'a', version: '2', concurrency: 3, paramsSchema: { type: 'object' }, later: 1 }];
    const full = { handlers, slots: { payments: 4 }, weight: 1.5, tags: ['eu'], zone: 'z', later: {}, unreported: [result] };
    expect(check(full)).toEqual([]);
  });

  it.each(ANYWHERE)('passes with a worker at %s', (host) => {
    expect(check({ urls: [`http://${host}:24401`] })).toEqual([]);
  });

  it.each<[Change, string[]]>([
    [{ workerId: 7 }, ['/workerId type']],
    [{ workerId: undefined }, ['/workerId required']],
    [{ workerId: '' }, ['/workerId too_short']],
    [{ workerId: 'x'.repeat(65) }, ['/workerId too_long']],
    [{ workerId: 'wörker' }, ['/workerId characters']],
    [{ incarnation: '1' }, ['/incarnation pattern']],
    [{ groups: [] }, ['/groups too_few']],
    [{ groups: 'payments' }, ['/groups type']],
    [{ groups: ['a', 2] }, ['/groups/1 type']],
    [{ urls: ['ftp://x'] }, ['/urls/0 url']],
    [{ urls: ['http://a:b@x'] }, ['/urls/0 url']],
    [{ urls: ['http://x/?q=1'] }, ['/urls/0 url']],
    [{ urls: ['no url'] }, ['/urls/0 url']],
    [{ urls: [null] }, ['/urls/0 type']],
    [{ urls: ['http://127.0.0.1:0'] }, ['/urls/0 url']],
    [{ urls: ['http://127.0.0.1:1\n'] }, ['/urls/0 url']],
    ...NOWHERE.map((host): [Change, string[]] => [{ urls: [`http://${host}:7300/base`] }, ['/urls/0 address']]),
    [{ handlers: [{ name: 'a\0b' }] }, ['/handlers/0/name characters']],
    [{ handlers: [{ name: 'a\ud800' }] }, ['/handlers/0/name characters']],
    [{ handlers: [{ name: '  ' }] }, ['/handlers/0/name characters']],
    [{ handlers: [{ name: 'a', version: '1\n' }] }, ['/handlers/0/version characters']],
    [{ handlers: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }, ['/handlers/2 duplicate']],
    [{ handlers: [null, { name: 7 }, { name: 7 }] }, ['/handlers/0 type', '/handlers/1/name type', '/handlers/2/name type']],
    [{ zone: '\0' }, ['/zone characters']],
    [{ tags: ['\x07'] }, ['/tags/0 characters']],
    [{ sdk: '\0' }, ['/sdk characters']],
    [{ handlers: [{ name: 5 }, 'x'] }, ['/handlers/0/name type', '/handlers/1 type']],
    [{ handlers: [{ name: 'a', concurrency: 0 }] }, ['/handlers/0/concurrency too_small']],
    [{ slots: '8' }, ['/slots type']],
    [{ slots: 0 }, ['/slots too_small']],
    [{ slots: 1.5 }, ['/slots type']],
    [{ slots: null }, ['/slots type']],
    [{ slots: { 'a/b': '1' } }, ['/slots/a~1b type']],
    [{ weight: '1' }, ['/weight type']],
    [{ tags: [1] }, ['/tags/0 type']],
    [{ sdk: undefined }, ['/sdk required']],
    [{ unreported: undefined }, ['/unreported required']],
    [{ unreported: [{ ...result, outcome: 'lost' }] }, ['/unreported/0/outcome unknown_value']],
  ])('with %j is refused at %j', (change, wanted) => {
    expect(check(change)).toEqual(wanted);
  });
});

describe('a heartbeat', () => {
  const check = (change: Change) => pointers(checkHeartbeat({ ...heartbeat('w1', 1), ...change }));

  it('passes with every optional field', () => {
    expect(
      check({ memory: 1e9, attempts: [{ taskId: 'task_1', lease: 1, phase: 'running', progress: 0.5, checkpoint: { at: 1 } }] }),
    ).toEqual([]);
  });

  it.each<[Change, string[]]>([
    [{ seq: '7' }, ['/seq type']],
    [{ seq: -1 }, ['/seq too_small']],
    [{ seq: 1.5 }, ['/seq type']],
    [{ seq: null }, ['/seq type']],
    [{ sentAt: '2026-01-01T00:00:00.000Z' }, ['/sentAt type']],
    [{ state: 'busy' }, ['/state unknown_value']],
    [{ freeSlots: undefined, active: true }, ['/active type', '/freeSlots required']],
    [{ cpuIdlePercent: 101 }, ['/cpuIdlePercent too_large']],
    [{ avgCostMs: -1 }, ['/avgCostMs too_small']],
    [{ attempts: {} }, ['/attempts type']],
    [{ attempts: [{ taskId: 'task_1', lease: '1', phase: 'running' }] }, ['/attempts/0/lease type']],
    [
      { attempts: [{ taskId: 'task_1', lease: 1, phase: 'gone', progress: 2 }] },
      ['/attempts/0/phase unknown_value', '/attempts/0/progress too_large'],
    ],
  ])('with %j is refused at %j', (change, wanted) => {
    expect(check(change)).toEqual(wanted);
  });

  it.each([null, [], 'beat', 7, undefined])('that is %j is refused as a whole', (body) => {
    expect(pointers(checkHeartbeat(body))).toEqual([' type']);
  });

  it('names at most twenty errors', () => {
    expect(check({ attempts: Array(1000).fill(1) })).toHaveLength(20);
  });
});

describe('results', () => {
  it('pass with an error, a result and figures', () => {
    const error = { name: 'E', message: '', stack: 's', retryable: false, retryAfterMs: 5 };
    const figures = { seq: 1, active: 0, queued: 0, freeSlots: 2 };
    expect(pointers(checkResults({ ...results, results: [{ ...result, error, result: [1] }], figures }))).toEqual([]);
  });

  it.each<[Change, string[]]>([
    [{ startedAt: '1' }, ['/results/0/startedAt type']],
    [{ error: 'boom' }, ['/results/0/error type']],
    [{ error: { name: 'E', message: 'm', retryable: 'no' } }, ['/results/0/error/retryable type']],
    [{ error: { name: 'E', message: 'm', retryAfterMs: -5 } }, ['/results/0/error/retryAfterMs too_small']],
    [{ taskId: 'two words' }, ['/results/0/taskId characters']],
  ])('with %j are refused at %j', (change, wanted) => {
    expect(pointers(checkResults({ ...results, results: [{ ...result, ...change }] }))).toEqual(wanted);
  });

  it('with malformed figures are refused', () => {
    expect(pointers(checkResults({ ...results, figures: { seq: 1 } }))).toEqual([
      '/figures/active required',
      '/figures/queued required',
      '/figures/freeSlots required',
    ]);
  });
});

describe('log lines', () => {
  const line = { taskId: 'task_1', lease: 2, attempt: 1, seq: 1, at: 8_640_000_000_000_000, level: 'info', message: 'm' };
  const { workerId, incarnation } = registration('w1');
  const lines = (change: object) => checkLogs({ workerId, incarnation, lines: [{ ...line, ...change }] });

  it('pass up to the last instant there is, and are refused beyond: it could never be shown', () => {
    expect(pointers(lines({}))).toEqual([]);
    expect(pointers(lines({ at: line.at + 1 }))).toEqual(['/lines/0/at too_large']);
  });
});

describe('a good-bye', () => {
  it('needs to say whose', () => {
    expect(pointers(checkDeregister({ incarnation: registration('w1').incarnation }))).toEqual(['/workerId required']);
  });
});
