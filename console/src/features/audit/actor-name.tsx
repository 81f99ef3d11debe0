import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { useT } from '../../lib/i18n';

interface Named {
  entry: Pick<AuditEntry, 'actor' | 'actorKind' | 'app'>;
  /** Of a key its end alone, which tells it from others. */
  short?: boolean;
}

/** Who did it: what kind of actor, of a partner which, and the name or key as it is filtered by, whole on hover. */
export function ActorName({ entry: { actor, actorKind, app }, short = false }: Named) {
  const t = useT();
  const kind = t(`actorKind.${actorKind}`);
  if (actorKind === 'command' || (actorKind === 'system' && actor === 'system')) return <span title={actor}>{kind}</span>;
  return (
    <>
      {actorKind === 'partner' && (
        <span className="secondary" title={short ? `${kind} ${app?.name ?? ''}` : undefined}>
          {kind} <bdi>{app?.name ?? ''}</bdi>
        </span>
      )}{' '}
      <bdi className="mono" title={actor}>
        {short && actorKind === 'partner' ? `…${actor.slice(-8)}` : actor}
      </bdi>
    </>
  );
}
