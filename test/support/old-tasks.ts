import type { DataSource } from 'typeorm';
import { firstIdAt, newId } from '../../src/platform/ids.js';

const AT_ONCE = 2_000;
const DAY_MS = 86_400_000;
/** Of an id: its prefix and the ten characters of its instant. */
const UP_TO_INSTANT = 'task_'.length + 10;
const idAt = (at: number) => firstIdAt('task', at).slice(0, UP_TO_INSTANT) + newId('task').slice(UP_TO_INSTANT);

/** So many copies of a task that has ended, spread over the last day, in an SQLite database: a history without having lived it. */
export async function seedOldTasks(dataSource: DataSource, source: string, count: number): Promise<void> {
  const columns = (await dataSource.query("SELECT name FROM pragma_table_info('tasks')")) as { name: string }[];
  const others = columns.map(({ name }) => name).filter((name) => name !== 'id');
  const from = Date.now() - DAY_MS + 3_600_000;
  const step = (DAY_MS - 2 * 3_600_000) / count;
  for (let at = 0; at < count; at += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => idAt(Math.floor(from + (at + i) * step)));
    await dataSource.query(
      `WITH copies (id) AS (VALUES ${ids.map((id) => `('${id}')`).join(', ')})
       INSERT INTO tasks (id, ${others.join(', ')}) SELECT copies.id, ${others.map((name) => `t.${name}`).join(', ')}
       FROM copies, tasks t WHERE t.id = '${source}'`,
    );
  }
}
