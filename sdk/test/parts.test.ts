import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnswerMemory } from '../src/worker/answer-memory.js';
import { backoffMs } from '../src/worker/backoff.js';
import { CpuIdle } from '../src/worker/cpu-idle.js';
import { Epochs } from '../src/worker/epochs.js';
import { newIncarnation } from '../src/worker/incarnation.js';
import { Journal } from '../src/worker/journal.js';
import { jsonLogger } from '../src/worker/logger.js';
import { MeanCost } from '../src/worker/mean-cost.js';
import { reachableUrl, settingsFrom } from '../src/worker/options.js';
import { PriorityQueue } from '../src/worker/priority-queue.js';
import { REFUSAL_GRACE_MS, SharedClock } from '../src/worker/shared-clock.js';
import { KEY, SECRET } from './fake-centre.js';

describe('the fence', () => {
  const LEASE = 15_000;
  const acknowledged = () => {
    const clock = new SharedClock();
    clock.acknowledged(1000, LEASE, 1010);
    return clock;
  };

  it('goes up one lease after the send time of the last acknowledged beat', () => {
    const clock = acknowledged();
    expect(clock.isFenced(1000 + LEASE - 1)).toBe(false);
    expect(clock.isFenced(1000 + LEASE)).toBe(true);
  });

  it('is moved by each acknowledgement, whatever their order', () => {
    const clock = acknowledged();
    clock.acknowledged(6000, LEASE, 6010);
    clock.acknowledged(3000, LEASE, 6020);
    expect(clock.isFenced(6000 + LEASE - 1)).toBe(false);
    expect(clock.fences).toBe(0);
  });

  it('does not go up while the centre refuses, for ten minutes after the last acknowledgement', () => {
    const clock = acknowledged();
    for (let at = 6000; at < 1000 + REFUSAL_GRACE_MS; at += 5000) {
      expect(clock.isFenced(at)).toBe(false);
      clock.refused(at, LEASE, at);
    }
    expect(clock.isFenced(1000 + REFUSAL_GRACE_MS)).toBe(true);
  });

  it('goes up one lease after the last refusal when silence follows it', () => {
    const clock = acknowledged();
    clock.refused(10_000, LEASE, 10_001);
    expect(clock.isFenced(10_000 + LEASE)).toBe(true);
  });

  it('is lifted by an acknowledgement only, and the passage is counted', () => {
    const clock = acknowledged();
    const late = 1000 + LEASE + 1;
    clock.refused(late, LEASE, late);
    expect(clock.isFenced(late)).toBe(true);
    clock.acknowledged(late + 5, LEASE, late + 6);
    expect(clock.isFenced(late + 7)).toBe(false);
    expect(clock.fences).toBe(1);
  });

  it('stays up when the acknowledged beat is itself older than a lease', () => {
    const clock = acknowledged();
    clock.acknowledged(2000, LEASE, 60_000);
    expect(clock.isFenced(60_000)).toBe(true);
  });

  it('is shared through its buffer, and so is the report counter', () => {
    const clock = acknowledged();
    const twin = new SharedClock(clock.buffer);
    expect([clock.nextSeq(), twin.nextSeq(), clock.nextSeq()]).toEqual([1, 2, 3]);
    twin.acknowledged(50_000, LEASE, 2000);
    expect(clock.isFenced(60_000)).toBe(false);
  });
});

describe('the answer memory', () => {
  it('keeps answers for at least an hour', () => {
    let now = 0;
    const memory = new AnswerMemory(() => now);
    memory.remember('first', 'busy');
    for (now = 0; now <= 3600_000; now += 60_000) memory.remember(`k${now}`, 'accepted');
    expect(memory.get('first')).toBe('busy');
  });

  it('stays bounded', () => {
    const memory = new AnswerMemory(() => 0);
    for (let i = 0; i < 500_000; i++) memory.remember(String(i), 'accepted');
    expect(memory.get('0')).toBeUndefined();
    expect(memory.get('200000')).toBe('accepted');
    expect(memory.get('499999')).toBe('accepted');
  });
});

describe('the journal', () => {
  const FIRST = newIncarnation(1);
  const SECOND = newIncarnation(2);
  const silent = jsonLogger('error', () => undefined);
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'evenkeel-journal-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const result = (key: string, text = 'r') => ({ key, json: JSON.stringify({ taskId: key, text }) });

  it('returns what was accepted and what was not acknowledged, with the life it belongs to', () => {
    const [journal] = Journal.open(home, FIRST, silent);
    journal.accepted(['a:1', 'b:2']);
    journal.results([result('a:1', '你好\n'), result('b:2')]);
    journal.acknowledged(['b:2']);
    const [, earlier] = Journal.open(home, SECOND, silent);
    expect(earlier).toEqual({ accepted: ['a:1', 'b:2'], unreported: [{ ...result('a:1', '你好\n'), incarnation: FIRST }] });
  });

  it('leaves out a last line that was not finished', () => {
    const [journal] = Journal.open(home, FIRST, silent);
    journal.results([result('a:1')]);
    const file = readdirSync(home).find((name) => name.startsWith('journal-')) as string;
    appendFileSync(join(home, file), 'r b:2 {"taskId":"b:2","te');
    const [, earlier] = Journal.open(home, SECOND, silent);
    expect(earlier.unreported.map(({ key }) => key)).toEqual(['a:1']);
  });

  it('stays bounded, keeps every unacknowledged result and forgets accepted ones after an hour', () => {
    let now = 1_000_000_000;
    const [journal] = Journal.open(home, FIRST, silent, () => now);
    journal.results([result('old:1')]);
    journal.accepted(['long:ago']);
    const big = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 120; i++) {
      now += 60_000;
      journal.results([result(`k:${i}`, big)]);
      journal.acknowledged([`k:${i}`]);
    }
    journal.accepted(['just:now']);
    expect(readdirSync(home).length).toBeLessThanOrEqual(9);
    const [, earlier] = Journal.open(home, SECOND, silent, () => now);
    expect(earlier.unreported.map(({ key }) => key)).toEqual(['old:1']);
    expect(earlier.accepted).toEqual(['just:now']);
  });

  it('goes on without a disk and says so once', () => {
    const lines: string[] = [];
    const logger = jsonLogger('info', (line) => lines.push(line));
    appendFileSync(join(home, 'a-file'), '');
    const [journal, earlier] = Journal.open(join(home, 'a-file', 'below'), FIRST, logger);
    journal.accepted(['a:1']);
    journal.results([result('a:1')]);
    expect(earlier).toEqual({ accepted: [], unreported: [] });
    expect(lines).toHaveLength(1);
  });
});

describe('the figures', () => {
  it('mean cost covers the last five minutes', () => {
    let now = 0;
    const cost = new MeanCost(() => now);
    expect(cost.value).toBe(0);
    cost.add(100);
    now = 120_000;
    cost.add(300);
    expect(cost.value).toBe(200);
    now = 310_000;
    expect(cost.value).toBe(300);
    now = 10_000_000;
    expect(cost.value).toBe(0);
  });

  it('idle processor time covers the last minute', () => {
    let now = 0;
    let used = 0;
    const cpu = new CpuIdle(
      () => ({ used, capacity: now }),
      () => now,
    );
    now = 60_000;
    used = 60_000;
    expect(cpu.percent).toBe(0);
    now = 90_000;
    expect(cpu.percent).toBe(33.3);
    now = 120_000;
    expect(cpu.percent).toBe(100);
  });
});

describe('small parts', () => {
  it('incarnations are UUIDv7 in Crockford base32 and sort by time', () => {
    const all = [1, 2, 1000, 2 ** 40, Date.now()].map((at) => newIncarnation(at));
    expect([...all].sort()).toEqual(all);
    for (const each of all) expect(each).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(newIncarnation(0x0192_3456_789a, new Uint8Array(10))).toBe('01J8T5CY4TE0080000000000000'.slice(0, 26));
  });

  it('the queue serves priorities first and keeps the order of arrival in each', () => {
    const queue = new PriorityQueue<number>();
    for (let i = 0; i < 5000; i++) queue.push(1 + (i % 10), i);
    const out: number[] = [];
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) out.push(item);
    const expected = Array.from({ length: 5000 }, (_, i) => i).sort((a, b) => (b % 10) - (a % 10) || a - b);
    expect(out).toEqual(expected);
  });

  it('epochs only rise', () => {
    const epochs = new Epochs();
    epochs.observe(3, 7);
    epochs.observe(3, 5);
    epochs.observeAll({ '3': 6, '4': 2 });
    expect([epochs.of(3), epochs.of(4), epochs.of(5)]).toEqual([7, 2, 0]);
  });

  it('back-off doubles up to its cap, at least half of it', () => {
    expect([1, 2, 3, 50].map((n) => backoffMs(n, 200, 5000, 1))).toEqual([200, 400, 800, 5000]);
    expect(backoffMs(3, 200, 5000, 0)).toBe(400);
  });

  it.each([
    [{ key: 'ak_test_0123456789abcdef' }, /^key:/],
    [{ centre: 'ftp://x' }, /^centre:/],
    [{ groups: [] }, /^groups:/],
    [{ workerId: '../x' }, /^workerId:/],
    [{ slots: 0 }, /^slots:/],
    [{ slots: 9000 }, /^slots/],
    [{ port: -1 }, /^port:/],
  ])('options %j are refused by name', (change, message) => {
    expect(() => settingsFrom({ centre: 'http://127.0.0.1:1', key: KEY, secret: SECRET, groups: ['g'], ...change })).toThrow(
      message,
    );
  });

  it('a worker of a loopback centre listens on loopback, any other on all addresses', () => {
    const common = { key: KEY, secret: SECRET, groups: ['g'] };
    expect(settingsFrom({ centre: 'http://localhost:7300', ...common }).host).toBe('127.0.0.1');
    expect(settingsFrom({ centre: ['http://127.0.0.1:7300', 'https://centre.example'], ...common }).host).toBe('0.0.0.0');
    expect(reachableUrl('::1', 80)).toBe('http://[::1]:80');
  });
});
