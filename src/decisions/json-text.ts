import { mayLoseNumbers, memberTexts } from './params-text.js';

/** A JSON value as its sender wrote it. No request can hold one, so whoever finds one knows that the centre made it. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** `null` for undefined. */
export const jsonTextOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value ?? null));

/**
 * The items of the array member `list` of a body, `member` of each as a JsonText where parsing has changed a number in it: 64-bit ids,
 * long decimals. Costs a look at the body only if some member can hold numbers.
 */
export function withExactNumbers<Item, Member extends keyof Item & string>(
  items: Item[],
  bodyText: string | undefined,
  list: string,
  member: Member,
): Item[] {
  if (bodyText === undefined || !items.some((item) => mayHoldNumbers(item[member]))) return items;
  if (!FRAGILE_VALUE.test(bodyText)) return items;
  const texts = memberTexts(bodyText, list, member);
  return items.map((item, i) => {
    const text = texts[i];
    return text !== undefined && mayLoseNumbers(text) ? { ...item, [member]: new JsonText(text) } : item;
  });
}

/** As mayLoseNumbers, of a value behind a colon, comma or bracket: not every id with an E in it costs a look. */
const FRAGILE_VALUE = /[:,[]\s*(?:-0|-?[\d.]{16,}|-?\d[\d.]*[eE]|-?\d+\.\d*0(?!\d))/;

const mayHoldNumbers = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'object' && value !== null);
