import type { Translate } from './i18n';

/** Who did it, beside what was done: a user by name, the command line and the system in words, whatever else as it is written down. */
export function actorText(actor: string, t: Translate): string {
  if (actor === 'command' || actor === 'system') return t(`actorKind.${actor}`);
  return actor.startsWith('user:') ? actor.slice('user:'.length) : actor;
}
