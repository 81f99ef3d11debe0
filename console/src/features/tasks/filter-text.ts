import { TASK_STATES } from '../../../../sdk/src/contract/task-states';
import { isParam, type TaskSearch, TRIGGERS } from './search';

const NAMES = ['group', 'job', 'handler', 'app', 'worker', 'clientRequestId', 'trigger', 'flowId', 'parentId'] as const;
/** A name and a value, or a value alone. In the path of a param a backslash goes before a dot, colon or blank of a key. */
const WORDS = /(?:(param\.(?:\\.|[^\s:\\])*|[A-Za-z]+):)?(?:"([^"]*)"|(\S+))/g;

/** `state:failed group:pay handler:"a b" param.order.id:7` as filters. A word without a name is a clientRequestId. Unknown names are told. */
export function parseFilterText(text: string): { change: Partial<TaskSearch>; unknown: string[] } {
  const change: Record<string, unknown> = {};
  const unknown: string[] = [];
  const add = (name: string, value: string) => {
    change[name] = [...((change[name] as string[]) ?? []), value];
  };
  for (const [word, name, quoted, plain] of text.matchAll(WORDS)) {
    const value = quoted ?? plain ?? '';
    if (name === undefined && isParam(word)) unknown.push(word);
    else if (name === undefined) change.clientRequestId = value;
    else if (isParam(name)) {
      if (value === '') unknown.push(word);
      else add(name, value);
    } else if (name === 'state') {
      const state = TASK_STATES.find((each) => each === value.toUpperCase());
      if (state) add('state', state);
      else unknown.push(`state:${value}`);
    } else if (name === 'group') add('group', value);
    else if (name === 'late') change.late = value === 'true' || undefined;
    else if ((NAMES as readonly string[]).includes(name)) change[name] = value;
    else unknown.push(name);
  }
  return { change: change as Partial<TaskSearch>, unknown };
}

const VALUES: Record<string, readonly string[]> = {
  state: TASK_STATES.map((state) => state.toLowerCase()),
  trigger: TRIGGERS,
  late: ['true'],
};
const KNOWN = ['state', 'late', ...NAMES, 'param.'];

/** What the last word of the text may become, each as the whole text: names that begin so, values of a name, a param for a name that is none. */
export function filterSuggestions(text: string): string[] {
  const [, before = '', word = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
  if (word === '' || word.includes('"')) return [];
  const [, name, value = ''] = /^([A-Za-z]\w*):(.*)$/s.exec(word) ?? [];
  const words =
    name === undefined
      ? KNOWN.filter((known) => known !== word && known.toLowerCase().startsWith(word.toLowerCase())).map((known) =>
          known === 'param.' ? known : `${known}:`,
        )
      : KNOWN.includes(name)
        ? (VALUES[name] ?? [])
            .filter((each) => each !== value && each.startsWith(value.toLowerCase()))
            .map((each) => `${name}:${each}`)
        : [`param.${word}`];
  return words.map((each) => before + each);
}
