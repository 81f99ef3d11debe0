import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionEntry } from '../../../../src/admin/contract/session.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { browserName } from '../../lib/browser-name';
import { useT } from '../../lib/i18n';

/** Where somebody is signed in; each can be ended, and counts no more from its next request on. */
export function UserSessions({ username }: { username: string }) {
  const t = useT();
  const client = useQueryClient();
  const may = useMay('users.manage');
  const path = `users/${segment(username)}/sessions`;
  const query = useQuery({
    queryKey: ['users', 'sessions', username],
    queryFn: ({ signal }) => api.get<{ items: SessionEntry[] }>(path, undefined, signal),
    enabled: may,
  });
  return (
    <section className="stack" aria-label={t('users.sessions')}>
      <h2>{t('users.sessions')}</h2>
      {!may && <span className="secondary">{t('error.needs', { permission: 'users.manage' })}</span>}
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.items.length === 0 && <span className="secondary">{t('users.noSession')}</span>}
      <ul className="plain-list">
        {query.data?.items.map(({ id, seenAt, address, userAgent, current }) => (
          <li key={id} className="spread">
            <span title={userAgent ?? undefined}>
              <bdi>{browserName(userAgent) ?? t('users.unknownBrowser')}</bdi> · <bdi>{address ?? '–'}</bdi>
              <br />
              <span className="secondary">{t('me.seen')}</span> <Instant at={seenAt} />
            </span>
            <ActionButton
              label={t('me.end')}
              permission="users.manage"
              group={null}
              object={`${browserName(userAgent) ?? ''} ${id.slice(-6)}`}
              blocked={current ? t('me.current') : undefined}
              confirm="dialog"
              run={() => api.delete(`${path}/${segment(id)}`)}
              done={t('users.sessionEnded')}
              onDone={() => void client.invalidateQueries({ queryKey: ['users'] })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
