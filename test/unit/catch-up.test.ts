import { CatchUp } from '../../src/dispatch/catch-up.js';

const NOW = 1_000_000;
const turns = (catchUp: CatchUp, count: number, now = NOW) => Array.from({ length: count }, () => catchUp.turn(now));

describe('what is made up for after an outage', () => {
  it('starts at once if it is one, and ten milliseconds apart if they are more', () => {
    const catchUp = new CatchUp();
    expect(turns(catchUp, 3)).toEqual([NOW, NOW + 10, NOW + 20]);
    expect(turns(catchUp, 2, NOW + 5)).toEqual([NOW + 30, NOW + 40]);
    expect(turns(catchUp, 1, NOW + 60_000)).toEqual([NOW + 60_000]);
  });

  it('is put off by half a minute at most, evenly, however many there are', () => {
    const due = turns(new CatchUp(), 30_000);
    expect(Math.min(...due)).toBe(NOW);
    expect(Math.max(...due)).toBe(NOW + 30_000);
    for (let second = 0; second < 30; second++) {
      const from = NOW + second * 1_000;
      const started = due.filter((at) => at >= from && at < from + 1_000).length;
      expect(Math.abs(started - 1_000)).toBeLessThanOrEqual(100);
    }
  });

  it('does not fall behind a node that fires two hundred a second, each of them late', () => {
    const catchUp = new CatchUp();
    for (let second = 0; second < 600; second++)
      for (const at of turns(catchUp, 200, NOW + second * 1_000)) expect(at - (NOW + second * 1_000)).toBeLessThanOrEqual(30_000);
  });
});
