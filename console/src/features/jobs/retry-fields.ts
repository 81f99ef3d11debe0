import type { RetryPolicy } from '@evenkeel/sdk/contract';

/** What the editor shows of a retry policy. */
export interface RetryFields {
  retryKind: 'default' | RetryPolicy['kind'];
  maxRetries: number;
  retrySeconds: number;
  retryList: string;
  /** As it was stated, with what has no field. */
  exactRetry?: RetryPolicy;
}

export function retryFields(retry: RetryPolicy): Omit<Partial<RetryFields>, 'exactRetry'> {
  if (retry.kind === 'none') return { retryKind: 'none' };
  if (retry.kind === 'list') return { retryKind: 'list', retryList: retry.delaysMs.map((ms) => ms / 1_000).join(', ') };
  return { retryKind: retry.kind, maxRetries: retry.maxRetries, retrySeconds: retry.delayMs / 1_000 };
}

/**
 * The policy as the fields state it; undefined: the group's or the system's. Keeps what they do not show of a policy (factor, cap, jitter)
 * as long as its kind stays.
 */
export function retryPolicyOf(form: RetryFields): RetryPolicy | undefined {
  const exact = form.exactRetry;
  const delayMs = Math.round(form.retrySeconds * 1_000);
  switch (form.retryKind) {
    case 'default':
      return undefined;
    case 'none':
      return { kind: 'none' };
    case 'list':
      return {
        kind: 'list',
        delaysMs: form.retryList
          .split(/[\s,，]+/)
          .filter(Boolean)
          .map((text) => Math.round(Number(text) * 1_000)),
      };
    case 'fixed':
      return { kind: 'fixed', maxRetries: form.maxRetries, delayMs };
    case 'exponential':
      return { ...(exact?.kind === 'exponential' ? exact : {}), kind: 'exponential', maxRetries: form.maxRetries, delayMs };
  }
}
