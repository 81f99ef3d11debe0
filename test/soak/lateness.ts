import type { Backends } from '../../src/backends/backends.js';

interface Span {
  due: number | string;
  at: number | string;
}

const spans = (found: Span[]): number[] => found.map(({ due, at }) => Math.max(0, Number(at) - Number(due)));

/** Start delay in milliseconds of each task made since then: from when it was due until its attempt began. */
export async function startDelays({ dialect }: Backends, since = 0): Promise<number[]> {
  return spans(
    await dialect.root.rows<Span>(
      'SELECT scheduled_at AS due, started_at AS at FROM tasks WHERE started_at IS NOT NULL AND created_at >= ?',
      [since],
    ),
  );
}

/** How long after its instant each fire became a task. */
export async function fireDelays({ dialect }: Backends): Promise<number[]> {
  return spans(await dialect.root.rows<Span>('SELECT fire_at AS due, created_at AS at FROM tasks WHERE fire_at IS NOT NULL'));
}
