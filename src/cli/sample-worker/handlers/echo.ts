import type { Json } from '@evenkeel/sdk/worker';

/** Answers what it was given. */
export const echo = (params: Json): Json => params;
