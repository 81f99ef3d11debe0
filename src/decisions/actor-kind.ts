/** Who may stand in the audit log: people, partners by a key of theirs, commands on the machine, and the house of its own accord. */
export const ACTOR_KINDS = ['user', 'partner', 'command', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Of an actor as the audit log names it: `user:<name>`, `key:<access key>`, `command`, or anything else of the house. */
export function actorKindOf(actor: string): ActorKind {
  if (actor.startsWith('user:')) return 'user';
  if (actor.startsWith('key:')) return 'partner';
  return actor === 'command' ? 'command' : 'system';
}
