import { isDeepStrictEqual } from 'node:util';
import type { AuditService } from '../auth/audit.service.js';
import type { Group } from '../jobs/group.js';
import { groupDeed } from '../jobs/group-deed.js';
import { type Deed, deedEntry, type Witness } from '../platform/witness.js';

/** As the audit log calls whoever uses the command line. */
export const COMMAND = 'command';

/** Logs what a command changes as the console logs it, in the transaction of the change, with the command as the actor. */
export const commandWitness =
  <T>(audit: AuditService, deed: Deed<T>, reason: string | null = null): Witness<T> =>
  async (tx, before, after) => {
    await audit.write(tx, { actor: COMMAND, reason, ...deedEntry(deed, before, after) });
  };

/** Of a group: what changes nothing of it is not logged. */
export const groupChangeWitness = (audit: AuditService, action: string, reason: string | null = null): Witness<Group> => {
  const deed = groupDeed(action);
  return async (tx, before, after) => {
    if (before && after && isDeepStrictEqual(deed.show(before), deed.show(after))) return;
    await commandWitness(audit, deed, reason)(tx, before, after);
  };
};

/** Of a group that is made if there is none. */
export const groupWitness =
  (audit: AuditService): Witness<Group> =>
  (tx, before, after) =>
    groupChangeWitness(audit, before ? 'group.changed' : 'group.created')(tx, before, after);
