import { PROBLEM_CODES } from '@evenkeel/sdk/contract';
import type { BulkObstacle } from '../contract/bulk.js';

const LONGEST = 255;
const WRITTEN = /^([a-z_]+)(?:: (.*))?$/s;
const OWN_CODES: Record<BulkObstacle | 'already_ended' | 'not_retryable', true> = {
  there_already: true,
  key_taken: true,
  app_not_granted: true,
  corrupt: true,
  already_ended: true,
  not_retryable: true,
};
const CODES: ReadonlySet<string> = new Set([...PROBLEM_CODES, ...Object.keys(OWN_CODES)]);

/** What is kept of an item that was not acted on: a code that has words, and what was behind it. */
export const itemDetail = (code: string, detail: string): string => `${code}: ${detail}`.slice(0, LONGEST);

/** Items of releases before this one have a sentence alone, which may begin with a word and a colon. */
export function partsOfDetail(kept: string | null): { code: string | null; detail: string | null } {
  const [, code = null, detail = null] = WRITTEN.exec(kept ?? '') ?? [];
  return code !== null && CODES.has(code) ? { code, detail } : { code: null, detail: kept };
}
