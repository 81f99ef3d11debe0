import { type Said, said } from '../decisions/field-sentences.js';
import { AppError } from '../platform/errors.js';
import { addressList } from './loaded-key.js';

/** Enough to rotate: the next beside the present one. */
export const ACTIVE_KEYS_PER_APP = 2;

export const PARTNER_SCOPES = [
  'tasks:read',
  'tasks:write',
  'jobs:read',
  'jobs:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type NewAccessKey = {
  label: string;
  expiresAt?: number;
  ipAllow?: readonly string[];
  /** As the audit log names them. */
  createdBy?: string;
} & (
  | {
      kind: 'partner';
      appId: number;
      mode?: 'live' | 'test';
      scopes?: readonly string[];
      /** Those of the app's groups it may use; absent for all. */
      groups?: readonly string[];
    }
  | { kind: 'worker'; groups: readonly string[] }
);
/** What of a key may change; absent members stay. null lifts a restriction. */
export interface AccessKeyChange {
  label?: string;
  /** Partner keys only. */
  scopes?: readonly string[];
  ipAllow?: readonly string[] | null;
  /** Groups a worker key serves, or those of its app a partner's key may use (null: all). */
  groups?: readonly string[] | null;
  /** Epoch milliseconds. */
  expiresAt?: number | null;
}
/** Throws AppError `validation_failed` naming the field and the rule. */
export function checkKeyRules(kind: 'partner' | 'worker', { scopes, ipAllow, groups }: AccessKeyChange): void {
  const refuse = (pointer: string, words: Said) => AppError.fields([{ pointer, code: 'not_allowed', ...words }]);
  const unknown = scopes?.find((scope) => !PARTNER_SCOPES.some((known) => known === scope));
  if (scopes && kind === 'worker') throw refuse('/scopes', said('worker_scopes'));
  if (unknown !== undefined)
    throw refuse('/scopes', said('unknown_scope', { scope: unknown, choices: PARTNER_SCOPES.join(', ') }));
  if (kind === 'worker' && groups === null) throw refuse('/groups', said('worker_groups'));
  if (!ipAllow) return;
  try {
    addressList(ipAllow);
  } catch (error) {
    if (error instanceof RangeError) throw refuse('/ipAllow', { ...said('address_form'), message: error.message });
    throw error;
  }
}

export function tooManyKeys(): AppError {
  return AppError.fields([{ pointer: '', code: 'too_many', ...said('too_many_keys', { max: ACTIVE_KEYS_PER_APP }) }]);
}
