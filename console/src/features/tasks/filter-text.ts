import { TASK_STATES } from '../../../../sdk/src/contract/task-states';
import type { TaskSearch } from './search';

const NAMES = ['group', 'job', 'handler', 'app', 'worker', 'clientRequestId', 'trigger', 'flowId', 'parentId'] as const;

/** `state:failed group:pay handler:"a b"` as filters. A word without a name is a clientRequestId. Unknown names are told. */
export function parseFilterText(text: string): { change: Partial<TaskSearch>; unknown: string[] } {
  const change: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [, name, quoted, plain] of text.matchAll(/(?:([A-Za-z]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const value = quoted ?? plain ?? '';
    if (name === undefined) change.clientRequestId = value;
    else if (name === 'state') {
      const state = TASK_STATES.find((each) => each === value.toUpperCase());
      if (state) change.state = [...((change.state as string[]) ?? []), state];
      else unknown.push(`state:${value}`);
    } else if (name === 'group') change.group = [...((change.group as string[]) ?? []), value];
    else if (name === 'late') change.late = value === 'true' || undefined;
    else if ((NAMES as readonly string[]).includes(name)) change[name] = value;
    else unknown.push(name);
  }
  return { change: change as Partial<TaskSearch>, unknown };
}
