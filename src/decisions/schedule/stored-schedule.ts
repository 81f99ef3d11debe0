import { keptByText } from '../kept-by-text.js';
import { checkSchedule } from './check-schedule.js';

/**
 * The schedule of a stored row, by the same rule that admitted it.
 *
 * @throws SyntaxError or RangeError if the text is not a schedule this version accepts
 */
export const storedSchedule = keptByText((text) => {
  const verdict = checkSchedule(JSON.parse(text));
  if (!verdict.ok) throw new RangeError(`the stored schedule is not one: ${verdict.errors[0]?.message}`);
  return verdict.schedule;
});
