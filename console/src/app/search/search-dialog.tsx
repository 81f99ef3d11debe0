import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Input } from 'antd';
import { useEffect, useId, useMemo, useState } from 'react';
import type { SearchAnswer } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { mayDo, useSession } from '../../api/session';
import type { Action } from '../../components/action';
import { Dialog } from '../../components/dialog';
import { ErrorPanel } from '../../components/error-panel';
import { useT } from '../../lib/i18n';
import { actionsOn, type Entry, pagesLike, placeOf } from './entries';
import { type Place, recentPlaces, rememberPlace } from './recent';
import { SearchLines, type Section } from './search-lines';

const WAIT_MS = 200;

/** One line to write in, and what it finds: places, and what may be done there. What waits for an answer shows the last one. */
export function SearchDialog({ close, act }: { close: () => void; act: (action: Action) => void }) {
  const t = useT();
  const session = useSession();
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const q = useLater(text.trim());
  const [chosen, setChosen] = useState(0);
  const [entered, setEntered] = useState(false);
  const found = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => api.get<SearchAnswer>('search', { q }, signal),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    gcTime: 30_000,
  });
  const username = session?.username ?? '';
  const sections = useMemo(
    (): Section[] =>
      q === ''
        ? [{ title: t('search.recent'), entries: recentPlaces(username).map(asEntry) }]
        : [
            { title: t('search.found'), entries: (found.data?.hits ?? []).map(placeOf).map(asEntry) },
            {
              title: t('search.pages'),
              entries: pagesLike(q, t, (permission) => !permission || mayDo(session, permission)).map(asEntry),
            },
            {
              title: t('search.actions'),
              entries: (found.data?.hits ?? []).slice(0, 3).flatMap((hit) => actionsOn(hit, t).map(asAction)),
            },
          ],
    [q, found.data, username, session, t],
  );
  const entries = sections.flatMap((section) => section.entries);
  const at = Math.min(chosen, entries.length - 1);
  function take(entry: Entry | undefined) {
    if (!entry) return;
    close();
    if ('action' in entry) return act(entry.action);
    if (entry.place.type !== 'page') rememberPlace(username, entry.place);
    void navigate({ to: entry.place.to });
  }
  // An answer that is still of other words is not acted on: Enter waits for that of these.
  const ready = q === text.trim() && !found.isPlaceholderData && !found.isLoading;
  useEffect(() => {
    if (!entered || !ready) return;
    setEntered(false);
    take(entries[at]);
  });
  const idle = q === '' && entries.length === 0;
  const nothing = q !== '' && !found.isFetching && !found.error && entries.length === 0;
  return (
    <Dialog footer={null} closable={false} width={640} title={t('search.title')} onCancel={close} className="search-dialog">
      <Input
        autoFocus
        size="large"
        role="combobox"
        aria-label={t('search.title')}
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-activedescendant={entries[at] && `${listId}-${at}`}
        placeholder={t('search.hint')}
        maxLength={128}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
          setEntered(false);
        }}
        onKeyDown={(event) => {
          // Enter that ends a word of an input method chooses nothing.
          if (event.nativeEvent.isComposing) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step && entries.length > 0) {
            event.preventDefault();
            setChosen((at + step + entries.length) % entries.length);
          }
          if (event.key === 'Enter') setEntered(true);
        }}
      />
      {found.error && <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />}
      <SearchLines id={listId} sections={sections} chosen={at} take={take} />
      {(idle || nothing) && <p className="secondary">{idle ? t('search.start') : t('search.nothing', { q })}</p>}
    </Dialog>
  );
}

const asEntry = (place: Place): Entry => ({ key: place.to + place.id, place });
const asAction = (action: Action): Entry => ({ key: action.label, action });

/** The text once it has stood still. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}
