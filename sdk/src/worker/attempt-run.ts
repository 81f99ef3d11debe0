import { describeIssues } from '../task/standard-schema.js';
import type { Attempt } from './attempt.js';
import type { AttemptContext } from './attempt-context.js';
import { type Ending, endingOf, refused } from './outcome.js';
import { monotonicMs } from './shared-clock.js';

/**
 * Calls the attempt's handler and says how it ended. Never rejects, whatever the handler or a schema does; never resolves while the
 * handler has not settled. The handler is entered in this turn of the event loop unless its input has to be checked first.
 */
export function runAttempt(attempt: Attempt, context: AttemptContext): Promise<Ending> {
  const { handler, order } = attempt;
  if (handler.input !== undefined || handler.output !== undefined) return runChecked(attempt, context);
  let returned: unknown;
  try {
    returned = handler.run(order.params as never, context as never);
  } catch (error) {
    returned = Promise.reject(error);
  }
  return Promise.resolve(returned).then(
    (value) => judge(attempt, { value }),
    (error) => judge(attempt, { error }),
  );
}

async function runChecked(attempt: Attempt, context: AttemptContext): Promise<Ending> {
  const { input, output, run } = attempt.handler;
  try {
    let params: unknown = attempt.order.params;
    if (input !== undefined) {
      const checked = await input['~standard'].validate(params);
      if (checked.issues) return refused('InvalidParamsError', describeIssues(checked.issues));
      params = checked.value;
    }
    let value: unknown = await run(params as never, context as never);
    if (output !== undefined) {
      const checked = await output['~standard'].validate(value);
      if (checked.issues) throw new InvalidResultError(describeIssues(checked.issues));
      value = checked.value;
    }
    return judge(attempt, { value });
  } catch (error) {
    return judge(attempt, { error });
  }
}

function judge(attempt: Attempt, settled: { value: unknown } | { error: unknown }): Ending {
  return endingOf(attempt, monotonicMs() - attempt.startedAt, settled);
}

/** The handler returned something its own output schema refuses. */
class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError';
}
