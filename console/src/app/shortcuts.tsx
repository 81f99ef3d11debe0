import { useNavigate } from '@tanstack/react-router';
import { Modal } from 'antd';
import { useEffect, useState } from 'react';
import { live, useLive } from '../api/live';
import { useT } from '../lib/i18n';
import { isShortcut } from '../lib/key-events';
import { usePreferences } from '../lib/preferences';
import { useReturnFocus } from '../lib/return-focus';
import { NAV } from './nav';

/** `g` and a letter goes to a page, `/` to the filter, `p` pauses, `?` tells them all. Off inside inputs and when the person wants none. */
export function Shortcuts() {
  const navigate = useNavigate();
  const { shortcuts } = usePreferences();
  const { state } = useLive();
  const [help, setHelp] = useState(false);
  useEffect(() => {
    if (!shortcuts) return;
    let going = 0;
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      if (event.key === 'g') {
        going = Date.now();
        return;
      }
      if (Date.now() - going < 1_000) {
        going = 0;
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
  ['l', 'logs'],
  ['r', 'retry'],
  ['c', 'cancel'],
  ['p', 'pause'],
  ['g o r j w', 'goto'],
  ['?', 'shown'],
] as const;

function KeysHelp({ close }: { close: () => void }) {
  const t = useT();
  useReturnFocus();
  return (
    <Modal open footer={null} title={t('keys.help')} onCancel={close} className="keys-help">
      <table>
        <tbody>
          {KEYS.map(([keys, what]) => (
            <tr key={what}>
              <th scope="row">
                {keys.split(keys.startsWith('Ctrl') ? '\n' : ' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{t(`keys.${what}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="secondary">{t('keys.off')}</p>
    </Modal>
  );
}
