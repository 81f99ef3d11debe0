import { TASK_STATES } from '../../../../sdk/src/contract/task-states';
import { isParam, type TaskSearch, TRIGGERS } from './search';

const NAMES = ['group', 'job', 'handler', 'app', 'worker', 'clientRequestId', 'trigger', 'flowId', 'parentId'] as const;
/** A name and a value, or a value alone. In the path of a param a backslash goes before a dot, colon or blank of a key. */
const WORD = /^(?:(param\.(?:\\.|[^\s:\\])*|[A-Za-z]+):)?(?:"([^"]*)"|(\S*))$/;

/** A word of the text that was not understood, and which rule it breaks. */
export interface Misread {
  word: string;
  rule: 'name' | 'value' | 'empty' | 'negated' | 'quote' | 'once' | 'noJob' | 'manyJobs' | 'unread';
  /** What there is instead. */
  choices: readonly string[];
}
/** Given once each: what comes later would take the place of what came before. */
const MANY = ['state', 'group'];

/**
 * `state:failed group:pay handler:"a b" param.order.id:7` as filters. A word without a name is a clientRequestId, and one that begins with
 * a dash none: the server finds what a filter says, not all else. If any word is not understood nothing should be looked for.
 */
export function parseFilterText(text: string): { change: Partial<TaskSearch>; misread: Misread[] } {
  const change: Record<string, unknown> = {};
  const misread: Misread[] = [];
  const add = (name: string, value: string) => {
    change[name] = [...((change[name] as string[]) ?? []), value];
  };
  for (const word of wordsOf(text)) {
    const [, name, quoted, plain] = WORD.exec(word) ?? [];
    const value = quoted ?? plain ?? '';
    const broken = (rule: Misread['rule'], choices: readonly string[] = []) => misread.push({ word, rule, choices });
    if (/^-("|[A-Za-z.]+:)/.test(word)) broken('negated');
    else if (name === undefined && isParam(word)) broken('empty');
    else if (plain?.startsWith('"') || (name === undefined && plain?.includes('"'))) broken('quote');
    else if (name === undefined && value === '') broken('empty');
    else if (name === undefined && change.clientRequestId !== undefined) broken('once');
    else if (name === undefined) change.clientRequestId = value;
    else if (!isParam(name) && !KNOWN.includes(name)) broken('name', KNOWN);
    else if (value === '') broken('empty');
    else if (isParam(name)) add(name, value);
    else if (!MANY.includes(name) && change[name] !== undefined) broken('once');
    else {
      const choices = VALUES[name];
      const known = choices?.find((each) => each === value || (name === 'state' && each === value.toLowerCase()));
      if (choices && known === undefined) broken('value', choices);
      else if (name === 'state') add(name, (known as string).toUpperCase());
      else if (name === 'group') add(name, value);
      else change[name] = name === 'late' ? true : value;
    }
  }
  return { change: change as Partial<TaskSearch>, misread };
}

/** Split at blanks that are neither quoted nor behind a backslash. */
const wordsOf = (text: string): string[] => text.match(/(?:\\.|"[^"]*"|\S)+/g) ?? [];

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
