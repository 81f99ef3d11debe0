import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { live, useLive } from '../api/live';
import { Dialog } from '../components/dialog';
import { useT } from '../lib/i18n';
import { isShortcut } from '../lib/key-events';
import { usePreferences } from '../lib/preferences';
import { NAV } from './nav';

/** Within this many milliseconds of the `g` comes the letter. */
const GOING_MS = 1_000;

/** `g` and a letter goes to a page, `/` to the filter, `p` pauses, `?` tells them all. Off inside inputs and when the person wants none. */
export function Shortcuts() {
  const navigate = useNavigate();
  const { shortcuts } = usePreferences();
  const { state } = useLive();
  const [help, setHelp] = useState(false);
  // Outlives the effect: the connection may change its state between the two keys.
  const going = useRef<{ pressed: number; handled: number } | null>(null);
  useEffect(() => {
    if (!shortcuts) return;
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      if (event.key === 'g') {
        going.current = { pressed: event.timeStamp, handled: performance.now() };
        return;
      }
      const first = going.current;
      going.current = null;
      // On a page that was busy in between, the keys were closer together when pressed, or when it came to them.
      if (first && Math.min(event.timeStamp - first.pressed, performance.now() - first.handled) < GOING_MS) {
        const item = NAV.flatMap(({ items }) => items).find(({ shortcut }) => shortcut === event.key);
        if (item) {
          // The letter has been used: no list takes it too.
          event.preventDefault();
          event.stopImmediatePropagation();
          void navigate({ to: item.to });
        }
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
      if (event.key === '?') setHelp(true);
    };
    document.addEventListener('keydown', listener, true);
    return () => document.removeEventListener('keydown', listener, true);
  }, [shortcuts, navigate, state]);
  return help ? <KeysHelp close={() => setHelp(false)} /> : null;
}

const KEYS = [
  ['Ctrl K', 'search'],
  ['/', 'filter'],
  ['j ↓', 'next'],
  ['k ↑', 'previous'],
  ['x', 'select'],
  ['Enter', 'open'],
  ['Space', 'peek'],
  ['Shift F10', 'menu'],
  ['l', 'trace'],
  ['r', 'again'],
  ['c', 'stop'],
  ['p', 'pause'],
  ['g o r j w', 'goto'],
  ['?', 'shown'],
] as const;

function KeysHelp({ close }: { close: () => void }) {
  const t = useT();
  return (
    <Dialog footer={null} title={t('keys.help')} onCancel={close} className="keys-help">
      <table>
        <tbody>
          {KEYS.map(([keys, what]) => (
            <tr key={what}>
              <th scope="row">
                {keys.split(/^(Ctrl|Shift)/.test(keys) ? '\n' : ' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{t(`keys.${what}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="secondary">{t('keys.off')}</p>
    </Dialog>
  );
}
