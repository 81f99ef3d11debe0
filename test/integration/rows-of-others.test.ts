import type { Backends } from '../../src/backends/backends.js';
import { OldDeliveryStore } from '../../src/callbacks/old-delivery.store.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { newId } from '../../src/platform/ids.js';
import { OldTasksStore } from '../../src/tasks/old-tasks.store.js';
import { type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP, TaskWorld } from '../support/task-world.js';

const TASKS = 40;

/** MySQL reads a small table whole where it may choose, and waits for every row of it that somebody else holds. */
describe('what holds some rows of a small table', () => {
  let database: FreshDatabase;
  let backends: Backends;
  let world: TaskWorld;
  let held: string;
  let rest: string[];

  beforeAll(async () => {
    database = await freshDatabase('cluster');
    backends = await database.open();
    world = await new TaskWorld(backends).prepare();
    const ids: string[] = [];
    for (let n = 0; n < TASKS; n++) ids.push(await world.submit());
    held = ids.splice(TASKS / 2, 1)[0] as string;
    rest = ids;
  });
  afterAll(() => database?.drop());

  it('is not waited for by who removes other tasks and their deliveries', async () => {
    const receivers = [{ endpointId: null, url: 'https://a.example/x', target: `${APP}|a.example:443` }];
    const event = {
      id: newId('evt'),
      appId: APP,
      taskId: held,
      seq: 1,
      type: 'task.failed',
      body: '{}',
      occurredAt: 1,
      receivers,
    };
    await new OutboxStore().insert(backends.dialect.root, [event], Math.round(backends.clock.now()) + 3_600_000);
    await backends.dialect.transaction(async (tx) => {
      await world.store.lock(tx, [held]);
      expect(await tx.rows(`SELECT id FROM webhook_sends ${backends.dialect.forUpdate}`)).toHaveLength(1);
      await backends.dialect.transaction(async (other) => {
        await new OldDeliveryStore().remove(other, [newId('dlv')]);
        await new OldTasksStore(backends.dialect).remove(other, rest);
      });
    });
    expect(await backends.dialect.root.rows('SELECT id FROM tasks')).toEqual([{ id: held }]);
  });
});
