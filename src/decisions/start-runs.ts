/** Tasks that are given workers together. */
export interface StartRun<Task> {
  key: string;
  tasks: Task[];
}

/**
 * The tasks, in the order they must start, as runs of one key (handler, routing, filter …) each. Given workers run by run, the last free
 * place goes to whoever comes first, whatever its key: a key that holds a task of low priority never takes the place of an urgent
 * one of another. Where each key has room for all of the tasks nobody is left out, and each key is one run, which spreads best.
 */
export function startRuns<Task>(
  tasks: readonly Task[],
  keyOf: (task: Task) => string,
  roomOf: (key: string) => number,
): StartRun<Task>[] {
  const byKey = new Map<string, StartRun<Task>>();
  const inOrder: StartRun<Task>[] = [];
  for (const task of tasks) {
    const key = keyOf(task);
    const ofKey = byKey.get(key);
    if (ofKey) ofKey.tasks.push(task);
    else byKey.set(key, { key, tasks: [task] });
    const last = inOrder.at(-1);
    if (last?.key === key) last.tasks.push(task);
    else inOrder.push({ key, tasks: [task] });
  }
  if (inOrder.length === byKey.size) return inOrder;
  return [...byKey.keys()].every((key) => roomOf(key) >= tasks.length) ? [...byKey.values()] : inOrder;
}
