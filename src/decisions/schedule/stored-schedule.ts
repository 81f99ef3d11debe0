import { checkSchedule } from './check-schedule.js';
import type { Schedule } from './schedule.js';

const read = new Map<string, Schedule>();
const KEPT = 5_000;

/**
 * The schedule of a stored row, by the same rule that admitted it. Kept by its text; the oldest goes first.
 *
 * @throws SyntaxError or RangeError if the text is not a schedule this version accepts
 */
export function storedSchedule(text: string): Schedule {
  const kept = read.get(text);
  if (kept) return kept;
  const verdict = checkSchedule(JSON.parse(text));
  if (!verdict.ok) throw new RangeError(`the stored schedule is not one: ${verdict.errors[0]?.message}`);
  if (read.size >= KEPT) read.delete(read.keys().next().value as string);
  read.set(text, verdict.schedule);
  return verdict.schedule;
}
