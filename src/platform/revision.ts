import { createHash } from 'node:crypto';

/** Names a state of something by its settings: it differs when they differ, and is the same again when they are. */
export const revisionOfSettings = (settings: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16);
