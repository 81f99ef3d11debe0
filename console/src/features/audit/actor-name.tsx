import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { useT } from '../../lib/i18n';

/** Who did it: what kind of actor, of a partner which, and the name or key as it is filtered by. */
export function ActorName({ actor, actorKind, app }: Pick<AuditEntry, 'actor' | 'actorKind' | 'app'>) {
  const t = useT();
  const kind = t(`actorKind.${actorKind}`);
  if (actorKind === 'command' || (actorKind === 'system' && actor === 'system')) return <span title={actor}>{kind}</span>;
  return (
    <>
      {actorKind === 'partner' && (
        <span className="secondary">
          {kind} <bdi>{app?.name ?? ''}</bdi>
        </span>
      )}{' '}
      <bdi className="mono" title={actor}>
        {actor}
      </bdi>
    </>
  );
}
