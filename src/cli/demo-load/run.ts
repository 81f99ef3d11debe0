import { type EvenkeelClient, type TaskView, WaitTimeoutError } from '@evenkeel/sdk/client';
import { CommandError, EXIT } from '../output.js';
import type { CallCounter } from './call-counter.js';

const LONGEST_WAIT_MS = 120_000;
const PARALLEL_WAITS = 12;

/** Ids of the tasks in the order of their numbers. Rejects if the centre takes fewer than all. */
export async function submitCalls(client: EvenkeelClient, group: string, counter: CallCounter, tasks: number): Promise<string[]> {
  const items = Array.from({ length: tasks }, (_, number) => ({
    handler: 'http',
    group,
    params: { url: counter.urlOf(number), method: 'POST', body: { number } },
    metadata: { demo: 'load' },
  }));
  const { results } = await client.submitBatch(items);
  const rejected = results.find(({ outcome }) => outcome === 'rejected');
  if (rejected)
    throw new CommandError(
      `the centre refused task ${rejected.index}: ${rejected.error?.code} ${rejected.error?.detail}`,
      EXIT.failed,
    );
  return results.map(({ task }) => task?.id ?? '');
}

/** Each task as it ended, or as it stood when nothing had ended for two minutes. */
export async function waitForAll(client: EvenkeelClient, ids: string[], onEnded: () => void): Promise<TaskView[]> {
  const ended: TaskView[] = [];
  const queue = ids.entries();
  const follow = async (): Promise<void> => {
    for (const [index, id] of queue) {
      ended[index] = await endOf(client, id);
      onEnded();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_WAITS }, follow));
  return ended;
}

async function endOf(client: EvenkeelClient, id: string): Promise<TaskView> {
  try {
    return await client.wait(id, { timeoutMs: LONGEST_WAIT_MS });
  } catch (error) {
    if (error instanceof WaitTimeoutError) return client.get(id);
    throw error;
  }
}
