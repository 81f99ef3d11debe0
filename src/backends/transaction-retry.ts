import { setTimeout as pause } from 'node:timers/promises';

const MAX_RETRIES = 3;

/** Runs the work again, at most three times, while it fails for having been in another transaction's way. */
export async function withRetries<T>(attempt: () => Promise<T>, isContention: (error: unknown) => boolean): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      if (retries >= MAX_RETRIES || !isContention(error)) throw error;
      await pause(5 * 2 ** retries + Math.random() * 20 * (retries + 1));
    }
  }
}
