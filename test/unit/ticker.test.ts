import { Ticker } from '../../src/platform/ticker.js';

/** A round whose end the test decides. */
function rounds() {
  const ends: (() => void)[] = [];
  let begun = 0;
  let told: (() => void) | undefined;
  const round = () =>
    new Promise<void>((resolve) => {
      begun += 1;
      ends.push(resolve);
      told?.();
    });
  const begin = async (count: number) => {
    while (begun < count) await new Promise<void>((resolve) => (told = resolve));
  };
  return {
    round,
    begin,
    end: () => ends.shift()?.(),
    get begun() {
      return begun;
    },
  };
}

describe('a ticker', () => {
  const errors: unknown[] = [];
  const options = { everyMs: 100_000, onError: (error: unknown) => errors.push(error) };

  it('never overlaps itself, and follows a wake during a round with exactly one more', async () => {
    const world = rounds();
    const ticker = new Ticker(world.round, options);
    ticker.start();
    await world.begin(1);
    ticker.wake();
    ticker.wake();
    expect(world.begun).toBe(1);
    world.end();
    await world.begin(2);
    world.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(world.begun).toBe(2);
    await ticker.stop();
  });

  it('keeps a wake-up that was asked for during a round', async () => {
    let begun = 0;
    const second = new Promise<void>((resolve) => {
      const ticker: Ticker = new Ticker(async () => {
        begun += 1;
        if (begun === 1) ticker.wakeIn(5);
        else {
          resolve();
          void ticker.stop();
        }
      }, options);
      ticker.start();
    });
    await second;
    expect(begun).toBe(2);
  });

  it('reports a round that threw and goes on', async () => {
    let begun = 0;
    const ticker = new Ticker(
      async () => {
        begun += 1;
        if (begun === 1) throw new Error('first');
      },
      { ...options, everyMs: 1 },
    );
    ticker.start();
    while (begun < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    await ticker.stop();
    expect(errors).toEqual([new Error('first')]);
  });

  it('waits for the round under way when stopped, and starts none after', async () => {
    const world = rounds();
    const ticker = new Ticker(world.round, options);
    ticker.start();
    await world.begin(1);
    const stopped = ticker.stop();
    ticker.wake();
    world.end();
    await stopped;
    ticker.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(world.begun).toBe(1);
  });
});
