import type { QueryClient } from '@tanstack/react-query';
import type { SessionView } from '../../../src/admin/contract/session.js';
import { onSessionDoubt, tellSessionDoubt, tellSessionEnd } from './client';
import { SESSION_KEY, sessionQuestion } from './session';
import { SITE_KEY } from './site';
import { TAB_CHANNEL, type TabMessage } from './tabs';

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(TAB_CHANNEL) : null;
/** After somebody signed in or out here: the other tabs have the same session. */
export const tellTabsOfSession = (): void => channel?.postMessage({ kind: 'session' } satisfies TabMessage);

/**
 * Keeps what is on screen to who is signed in and what they may do. The session is asked for again when the stream, another tab or a
 * refusal says that it may be another, and whenever somebody comes back to the window. If it is over, that is told as any end of a
 * session is; if its person or their rights are others than before, nothing that was read for the earlier ones stays on screen, and
 * what is shown is read again. A session that cannot be asked for stays as it was, and is not asked for without a network: the next
 * reason asks again.
 */
export function watchSession(client: QueryClient): void {
  const lookAgain = () => {
    if (!navigator.onLine) return;
    client.fetchQuery({ ...sessionQuestion, staleTime: 0 }).then(
      (session) => session ?? tellSessionEnd(),
      () => {},
    );
  };
  onSessionDoubt(lookAgain);
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => data.kind === 'session' && tellSessionDoubt());
  window.addEventListener('focus', lookAgain);
  document.addEventListener('visibilitychange', () => document.hidden || lookAgain());

  let known: string | undefined;
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== SESSION_KEY[0]) return;
    const session = query.state.data as SessionView | null | undefined;
    if (!session) return;
    const before = known;
    known = JSON.stringify([session.username, session.permissions, session.groupPermissions]);
    if (before !== undefined && before !== known) void client.resetQueries({ predicate: isReadForSomebody });
  });
}

/** Forgets what was read for the person before. */
export const forgetAnswers = (client: QueryClient): void => client.removeQueries({ predicate: isReadForSomebody });

const isReadForSomebody = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  queryKey[0] !== SESSION_KEY[0] && queryKey[0] !== SITE_KEY[0];
