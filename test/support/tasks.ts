import type { EvenkeelClient, TaskState, TaskView } from '@evenkeel/sdk/client';
import { waitFor } from './wait-for.js';

/** The task once it is in that state; says what it is instead if it never is. */
export async function untilTask(client: EvenkeelClient, id: string, status: TaskState, withinMs = 30_000): Promise<TaskView> {
  let last: TaskView | undefined;
  return waitFor(
    `the task is ${status}`,
    async () => {
      last = await client.get(id);
      return last.status === status ? last : null;
    },
    withinMs,
  ).catch((error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(last)}`);
  });
}

/** Every one of them, ended. */
export function ended(client: EvenkeelClient, ids: readonly string[], timeoutMs = 60_000): Promise<TaskView[]> {
  return Promise.all(ids.map((id) => client.wait(id, { timeoutMs })));
}

/** The steps of its life as text: `DISPATCHED>PENDING busy`. */
export function steps(task: TaskView): string[] {
  return task.timeline.map(({ from, to, reason }) => `${from ?? ''}>${to}${reason ? ` ${reason}` : ''}`);
}
