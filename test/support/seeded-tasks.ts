import type { Backends } from '../../src/backends/backends.js';
import { newId } from '../../src/platform/ids.js';
import { type NewTaskRow, NewTaskStore } from '../../src/tasks/new-task.store.js';

const CHUNK = 500;

/** Puts many tasks into the table as if they had been submitted, a chunk per statement. */
export async function seedTasks(
  { dialect, clock }: Backends,
  group: { id: number; partition: number },
  count: number,
  more: (index: number) => Partial<NewTaskRow> = () => ({}),
): Promise<void> {
  const store = new NewTaskStore({ ensure: async () => {} } as never, { record: async () => {} } as never);
  const now = Math.round(clock.now());
  for (let from = 0; from < count; from += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i): NewTaskRow => {
      const named = { id: newId('task'), groupId: group.id, partition: group.partition, appId: 1 };
      const plain = { clientRequestId: null, fingerprint: null, handler: 'noop', params: '{}', priority: 5, timeoutMs: 60_000 };
      const rest = {
        options: {},
        metadata: null,
        callbackUrl: null,
        actor: 'app:test',
        createdAt: now,
        scheduledAt: now,
        dueAt: now,
      };
      return { ...named, ...plain, ...rest, state: 'PENDING', ...more(from + i) };
    });
    await dialect.transaction((tx) => store.insert(tx, rows));
  }
}
