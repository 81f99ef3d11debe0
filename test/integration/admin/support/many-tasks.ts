import { TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { AppsService } from '../../../../src/auth/apps.service.js';
import { STATE_CODE } from '../../../../src/decisions/state-codes.js';
import type { Group } from '../../../../src/jobs/group.js';
import { GroupsService } from '../../../../src/jobs/groups.service.js';
import { newId } from '../../../../src/platform/ids.js';
import { SqlDialect } from '../../../../src/ports.js';
import { TasksService } from '../../../../src/tasks/tasks.service.js';
import type { ConsoleWorld } from './console-world.js';

export interface SeededTask {
  id: string;
  group: string;
  handler: string;
  state: TaskState;
}

/** SQLite takes no more parts of one statement than five hundred. */
const COPIES_AT_ONCE = 400;

interface More {
  app?: number;
  /** JSON text. */
  paramsOf?: (n: number) => string;
}

/** Tasks in every state and both groups, put there as they are without having lived; oldest first. */
export async function seedTasks(world: ConsoleWorld, count: number, more: More = {}): Promise<SeededTask[]> {
  const { app } = world;
  const appId =
    more.app ?? (await app.get(AppsService).create({ name: 'seeder', defaultGroup: 'own', groups: ['own', 'other'] })).id;
  const groups = ['own', 'other'].map((key) => app.get(GroupsService).byKey(key) as Group);
  const seeded: SeededTask[] = [];
  for (let n = 0; n < count; n++) {
    const group = groups[n % 3 === 0 ? 1 : 0] as Group;
    const state = TASK_STATES[(n * 7) % TASK_STATES.length] as TaskState;
    const handler = `h${n % 5}`;
    const [outcome] = await app.get(TasksService).submit([
      {
        appId,
        clientRequestId: `seed-${appId}-${n}`,
        fingerprint: 'f'.repeat(64),
        group,
        handler,
        params: more.paramsOf?.(n) ?? '{"n":9007199254740993}',
        priority: 5,
        timeoutMs: 60_000,
        runAt: null,
        delayMs: 0,
        options: {},
        metadata: null,
        callbackUrl: null,
        actor: 'app:seeder',
      },
    ]);
    if (outcome?.outcome !== 'accepted') throw new Error('not accepted');
    seeded.push({ id: outcome.task.id, group: group.key, handler, state });
  }
  const { root } = app.get(SqlDialect);
  for (const { id, state } of seeded) {
    const ended = STATE_CODE[state] >= STATE_CODE.SUCCEEDED;
    await root.run('UPDATE tasks SET state = ?, ended_at = ?, version = version + 1 WHERE id = ?', [
      STATE_CODE[state],
      ended ? Date.now() : null,
      id,
    ]);
  }
  return seeded;
}

/** So many copies of a task under new ids, with a handler and a state of their own. */
export async function seedCopies(
  { root }: SqlDialect,
  source: string,
  { handler, state, count }: { handler: string; state: number; count: number },
): Promise<void> {
  const [row] = await root.rows<Record<string, unknown>>('SELECT * FROM tasks WHERE id = ?', [source]);
  const own = ['id', 'client_request_id', 'handler', 'state'];
  const others = Object.keys(row ?? {}).filter((name) => !own.includes(name));
  for (let left = count; left > 0; left -= COPIES_AT_ONCE) {
    const ids = Array.from({ length: Math.min(left, COPIES_AT_ONCE) }, () => `SELECT '${newId('task')}' AS id`);
    await root.run(
      `INSERT INTO tasks (${[...own, ...others].join(', ')})
       SELECT copies.id, NULL, ?, ?, ${others.map((name) => `t.${name}`).join(', ')}
       FROM (${ids.join(' UNION ALL ')}) AS copies, tasks t WHERE t.id = ?`,
      [handler, state, source],
    );
  }
}
