import type { AccessKeyRow } from '../auth/access-keys.store.js';
import { keyDeed } from '../auth/key-deed.js';
import type { Witness } from '../platform/witness.js';
import type { AdminServices } from './admin-services.js';
import { commandWitness } from './command-trail.js';

type KeyAct = 'created' | 'changed' | 'rotated' | 'enabled' | 'disabled' | 'deleted';

/** Logs what a command does to a key as the console logs it, with the command as the actor. */
export async function keyWitness(
  { keys, apps, audit }: Pick<AdminServices, 'keys' | 'apps' | 'audit'>,
  act: KeyAct,
): Promise<Witness<AccessKeyRow>> {
  const byId = new Map((await apps.list()).map((app) => [app.id, app]));
  const deed = keyDeed(`key.${act}`, byId, (key) => keys.isActive(key));
  return commandWitness(audit, deed);
}
