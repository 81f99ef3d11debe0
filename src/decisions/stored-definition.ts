import { checkField } from './check-submission.js';
import { isObject } from './field-rules.js';
import type { JobPolicies } from './job-definition.js';
import { keptByText } from './kept-by-text.js';

/*
 * What stands in rows of jobs and groups beside the schedule, read by the rules that admitted it: a row that somebody spoiled is found
 * where it is read, and not by the worker, the claim or the end of a task that meets it later. A member that no rule of this version
 * names may be of a later one and stays.
 */

/** @throws SyntaxError or RangeError if the text is no object of policies this version accepts */
export const storedPolicies = keptByText((text): JobPolicies => {
  const policies: unknown = JSON.parse(text);
  if (!isObject(policies)) throw new RangeError('the stored policies are not an object');
  for (const [name, value] of Object.entries(policies)) {
    const [error] = checkField(name, value);
    if (error) throw new RangeError(`the stored policies are not ones: ${error.pointer} ${error.message}`);
  }
  return policies;
});

/** @throws SyntaxError or RangeError if the text is not a list of texts */
export const storedTexts = keptByText((text): string[] => {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string'))
    throw new RangeError('a stored list is not one of texts');
  return list;
});

/** @throws SyntaxError or RangeError if the text is not an object of texts */
export function storedMetadata(text: string): Record<string, string> {
  const metadata: unknown = JSON.parse(text);
  if (!isObject(metadata) || Object.values(metadata).some((value) => typeof value !== 'string'))
    throw new RangeError('the stored metadata are not an object of texts');
  return metadata as Record<string, string>;
}

/** @throws RangeError if it is none of the words this version knows */
export function storedWord<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === value);
  if (word === undefined) throw new RangeError(`the stored ${name} is none of ${words.join(', ')}`);
  return word;
}

/** @throws SyntaxError if the text is not JSON */
export function storedParams(text: string): string {
  JSON.parse(text);
  return text;
}
