import { setTimeout as pause } from 'node:timers/promises';

/**
 * The first answer that is neither undefined, null nor false. Asks again at once and then ever more seldom, at most every 100 ms.
 * The deadline is generous: it only decides how long a failing test takes.
 */
export async function waitFor<T>(what: string, ask: () => T | Promise<T>, withinMs = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await pause(pauseMs);
  }
}

/** Asks as often until the answer is the wanted one; in vain, the test fails with what the last one was instead. */
export async function becomes(ask: () => unknown, wanted: unknown, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const answer = await ask();
    try {
      return expect(answer).toEqual(wanted);
    } catch (difference) {
      if (performance.now() > deadline) throw difference;
    }
    await pause(pauseMs);
  }
}
