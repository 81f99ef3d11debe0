import type { MeAnswer } from '@evenkeel/sdk/contract';
import { SetMetadata } from '@nestjs/common';

/** Whom a controller serves; the global guard reads it, and a controller without one stops the boot. */
export type Audience = 'public' | 'partner' | 'worker' | 'console';
export const AUDIENCE = 'evenkeel:audience';
export const For = (audience: Audience) => SetMetadata(AUDIENCE, audience);

/** The scope a partner route needs, e.g. `tasks:write`. */
export const SCOPE = 'evenkeel:scope';
export const NeedsScope = (scope: string) => SetMetadata(SCOPE, scope);

/** The permission a console route needs. Every console route states one, or one of the two below: else the boot stops. */
export const NEEDS = 'evenkeel:needs';
export const Needs = (permission: string) => SetMetadata(NEEDS, permission);
export const SIGNED_IN = 'signed-in';
export const ANYONE = 'anyone';

/** Set on the request by the guard after the signature was verified. */
export interface PartnerCaller {
  kind: 'partner';
  accessKey: string;
  appId: number;
  appPublicId: string;
  appName: string;
  defaultGroup: string;
  /** Keys of the groups that both the app and this key may use. */
  groups: readonly string[];
  /** Keys of the groups this key was granted; null: those of its app, whichever they are. */
  narrowedTo: readonly string[] | null;
  scopes: readonly string[];
  /** Of the app: all its keys share them. */
  limits: Readonly<MeAnswer['limits']>;
}
export interface WorkerCaller {
  kind: 'worker';
  accessKey: string;
  /** Keys of the groups this key's workers may serve. */
  groups: readonly string[];
}
