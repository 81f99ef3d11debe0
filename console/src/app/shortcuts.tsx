import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { live, useLive } from '../api/live';
import { usePreferences } from '../lib/preferences';
import { NAV } from './nav';

/** `g` and a letter goes to a page, `/` to the filter, `p` pauses. Off inside inputs and when the person wants none. */
export function Shortcuts() {
  const navigate = useNavigate();
  const { shortcuts } = usePreferences();
  const { state } = useLive();
  useEffect(() => {
    if (!shortcuts) return;
    let going = 0;
    const listener = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=combobox]')
      )
        return;
      if (event.key === 'g') {
        going = Date.now();
        return;
      }
      if (Date.now() - going < 1_000) {
        going = 0;
        const item = NAV.flatMap(({ items }) => items).find(({ shortcut }) => shortcut === event.key);
        if (item) void navigate({ to: item.to });
        return;
      }
      if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('[data-filter] input, input[data-filter]');
        if (filter) {
          event.preventDefault();
          filter.focus();
        }
      }
      if (event.key === 'p') state === 'paused' ? live.resume() : live.pause();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [shortcuts, navigate, state]);
  return null;
}
