import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { type PartitionDue, ReadAhead } from '../../src/dispatch/read-ahead.js';
import { HandMovedClock } from '../support/hand-moved-clock.js';

const FULL = 5_000;

describe('what is read ahead', () => {
  let clock: HandMovedClock;
  let taken: () => void;
  let held: number[];
  let reads: number[][];
  let answer: (partitions: number[]) => Promise<PartitionDue[]>;
  let ahead: ReadAhead;

  beforeEach(() => {
    clock = new HandMovedClock();
    held = [1];
    reads = [];
    answer = async () => [];
    const partitions = {
      onTaken: (listener: () => void) => {
        taken = listener;
      },
      epochOf: (partition: number) => (held.includes(partition) ? 1 : undefined),
    } as unknown as PartitionsService;
    ahead = new ReadAhead(clock, partitions, (of) => {
      reads.push([...of]);
      return answer(of);
    });
  });

  const due = (id: string, partition: number, inMs: number): PartitionDue => ({ id, partition, dueAt: clock.now() + inMs });

  it('is not read again before it is time', async () => {
    await ahead.fill(held);
    clock.pass(3_999);
    await ahead.fill(held);
    expect(reads).toEqual([[1]]);
    clock.pass(1);
    await ahead.fill(held);
    expect(reads).toEqual([[1], [1]]);
  });

  it('is read at once for a partition that was taken while another read was under way', async () => {
    let finish: (found: PartitionDue[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (finish = resolve));
    const first = ahead.fill([...held]);
    held.push(2);
    taken();
    finish([due('a', 1, 100)]);
    await first;
    expect(ahead.nextInMs()).toBe(0);
    answer = async () => [due('a', 1, 100), due('b', 2, 100)];
    await ahead.fill(held);
    clock.pass(100);
    expect([...ahead.takeDue(held)]).toEqual([
      [1, ['a']],
      [2, ['b']],
    ]);
  });

  it('is read again at once after a read that failed', async () => {
    answer = async () => {
      throw new Error('away');
    };
    await expect(ahead.fill(held)).rejects.toThrow('away');
    answer = async () => [due('a', 1, 0)];
    await ahead.fill(held);
    expect([...ahead.takeDue(held)]).toEqual([[1, ['a']]]);
  });

  it('beyond a full read is read a second before it can be due, not over and over', async () => {
    answer = async () => Array.from({ length: FULL }, (_, n) => due(`full-${n}`, 1, 3_000));
    await ahead.fill(held);
    clock.pass(1_999);
    await ahead.fill(held);
    expect(reads).toHaveLength(1);
    clock.pass(1);
    await ahead.fill(held);
    expect(reads).toHaveLength(2);
  });

  it('of a partition that is no longer held is dropped', async () => {
    ahead.add([due('mine', 1, 0), due('never mine', 3, 0)]);
    expect([...ahead.takeDue([])]).toEqual([]);
    expect([...ahead.takeDue(held)]).toEqual([]);
  });
});
