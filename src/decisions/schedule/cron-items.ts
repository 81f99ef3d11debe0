import { type CronField, cronValue } from './cron-fields.js';
import { CronError, quoted } from './cron-sentences.js';

/** What a field, or one item of its list, stands for. */
export interface CronSet {
  values: ReadonlySet<number>;
  /** It holds `*` or a step, so it means a rhythm rather than chosen times. */
  rhythmic: boolean;
  /** As the normalised expression writes it. */
  text: string;
}

/** The union of a list's items; `item` reads one of them. */
export function cronList(text: string, field: CronField, item = cronItem): CronSet {
  const sets = text.split(',').map((part) => item(part, field));
  const values = new Set(sets.flatMap((set) => [...set.values]));
  return {
    values,
    // Every value of the field by any other spelling (`0-23`) is the wildcard it equals.
    rhythmic: sets.some((set) => set.rhythmic) || values.size > field.max - field.min,
    text: sets.map((set) => set.text).join(','),
  };
}

// One of `*`, `a`, `a-b`, and with a step `*/n`, `a/n` (to the end of the field), `a-b/n`. A range may wrap.
export function cronItem(item: string, field: CronField): CronSet {
  const [range = '', stepText, ...more] = item.split('/');
  if (range === '' || more.length > 0) throw new CronError('bad_format', 'cron_item', { field: field.name, got: quoted(item) });
  const step = stepText === undefined ? 1 : cronStep(stepText, field);
  const suffix = stepText === undefined ? '' : `/${step}`;
  if (range === '*') {
    return { values: walk(field.min, field.max, step, field), rhythmic: true, text: `*${suffix}` };
  }
  const [fromToken = '', toToken, ...rest] = range.split('-');
  if (rest.length > 0) throw new CronError('bad_format', 'cron_range', { field: field.name, got: quoted(range) });
  const from = cronValue(fromToken, field);
  if (toToken === undefined) {
    const to = stepText === undefined ? from.value : field.max;
    return { values: walk(from.value, to, step, field), rhythmic: stepText !== undefined, text: from.text + suffix };
  }
  const to = cronValue(toToken, field);
  // 7 ends a week: `5-7` is Friday to Sunday and `0-7` the whole week; as a beginning it is Sunday like 0.
  const end = to.isSeven && !from.isSeven ? field.max + 1 : to.value;
  if (end < from.value && !field.wraps) {
    throw new CronError('out_of_range', 'cron_backwards', { field: field.name, got: quoted(range) });
  }
  return {
    values: walk(from.value, end, step, field),
    rhythmic: stepText !== undefined,
    text: `${from.text}-${to.text}${suffix}`,
  };
}

function cronStep(text: string, field: CronField): number {
  if (!/^\d+$/.test(text)) throw new CronError('bad_format', 'cron_step_form', { field: field.name, got: quoted(text) });
  const most = field.name === 'year' ? field.max - field.min : field.lastNumber;
  const step = Number(text);
  if (step < 1 || step > most) {
    throw new CronError('out_of_range', 'cron_step', { field: field.name, max: most, got: quoted(text) });
  }
  return step;
}

/** Bounded by the size of the field, whatever was written: `from` and `end` have been checked. */
function walk(from: number, end: number, step: number, field: CronField): Set<number> {
  const size = field.max - field.min + 1;
  const last = end < from ? end + size : end;
  const values = new Set<number>();
  for (let at = from; at <= last; at += step) values.add(field.min + ((at - field.min) % size));
  return values;
}
