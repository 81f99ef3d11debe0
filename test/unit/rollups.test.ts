import { OpenSpans } from '../../src/admin/rollups/open-spans.js';
import { addAttempt, addAttempts, noAttempts } from '../../src/admin/rollups/rollup.js';
import { percentiles } from '../../src/decisions/duration-histogram.js';

const HOUR = 3_600_000;

describe('spans that are added to', () => {
  const spans = () => new OpenSpans<string, { n: number }>(() => ({ n: 0 }));

  it('are put once for what changed, and dropped when they are over', async () => {
    const open = spans();
    const put: string[] = [];
    const write = (now: number) =>
      open.write(now, async ({ beginsAt, of, figures }) => void put.push(`${of} ${beginsAt / HOUR} ${figures.n}`));
    open.at(HOUR, HOUR + 5, 'a').n += 1;
    open.at(HOUR, 2 * HOUR - 1, 'a').n += 1;
    await write(2 * HOUR);
    await write(2 * HOUR);
    expect(put).toEqual(['a 1 2']);
    await write(3 * HOUR);
    open.at(HOUR, HOUR + 5, 'a').n += 1;
    await write(3 * HOUR);
    expect(put).toEqual(['a 1 2', 'a 1 1']);
  });

  it('are put again when that failed, with what came meanwhile', async () => {
    const open = spans();
    open.at(HOUR, 5, 'a').n += 1;
    await expect(open.write(6, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    open.at(HOUR, 7, 'a').n += 1;
    const put: number[] = [];
    await open.write(8, async ({ figures }) => void put.push(figures.n));
    expect(put).toEqual([2]);
  });
});

describe('figures of attempts', () => {
  it('add up over processes; a refused target failed and took no time', () => {
    const [one, other] = [noAttempts(), noAttempts()];
    for (let n = 0; n < 19; n++) addAttempt(one, { succeeded: true, refused: false, durationMs: 10 });
    addAttempt(other, { succeeded: false, refused: false, durationMs: 1_000 });
    addAttempt(other, { succeeded: false, refused: true, durationMs: 0 });
    addAttempts(one, other);
    expect(one).toMatchObject({ succeeded: 19, failed: 2 });
    const found = percentiles(one.times, [0.95, 1]);
    expect(found?.count).toBe(20);
    expect(found?.values[0]).toBeLessThan(12);
    expect(found?.values[1]).toBeGreaterThan(850);
  });
});
