import { useEffect, useLayoutEffect, useRef } from 'react';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';

/** What a row's menu offers. */
export interface RowDeed {
  label: string;
  /** The key that does the same. */
  letter: string;
  /** Why it cannot be done. */
  why: string | null;
  act: () => void;
}

const ROOM_PX = 260;

/**
 * The menu of one row, below what has opened it, or above where there is no room. It belongs to the page and not to the row, so the list is
 * patched under it; it goes when something else is pressed or the page is scrolled, and the focus goes back to where it came from.
 */
export function RowMenu({
  name,
  opener,
  deeds,
  close,
}: {
  name: string;
  opener: HTMLElement;
  deeds: readonly RowDeed[];
  close: () => void;
}) {
  const t = useT();
  const { shortcuts } = usePreferences();
  const menu = useRef<HTMLDivElement>(null);
  const leave = useRef(close);
  useEffect(() => {
    leave.current = close;
  });
  useLayoutEffect(() => {
    menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true });
    const elsewhere = ({ target }: Event) => {
      if (!(target instanceof Node && menu.current?.contains(target))) leave.current();
    };
    const scrolled = () => leave.current();
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('scroll', scrolled, true);
    window.addEventListener('resize', scrolled);
    return () => {
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('scroll', scrolled, true);
      window.removeEventListener('resize', scrolled);
    };
  }, []);
  const back = () => {
    opener.focus({ preventScroll: true });
    close();
  };
  const step = (by: number) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
  };
  const { top, bottom, right } = opener.getBoundingClientRect();
  const below = bottom + ROOM_PX < innerHeight || bottom < innerHeight / 2;
  return (
    <div
      ref={menu}
      role="menu"
      aria-label={name}
      className="row-menu"
      style={{
        right: Math.max(8, document.documentElement.clientWidth - right),
        ...(below ? { top: bottom + 2 } : { bottom: innerHeight - top + 2 }),
      }}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (by !== undefined) step(by);
        else if (event.key === 'Escape' || event.key === 'Tab') back();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {deeds.map(({ label, letter, why, act }) => (
        <button
          key={letter}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={why !== null}
          title={why ?? undefined}
          aria-label={why === null ? label : `${label} – ${why}`}
          onClick={() => {
            if (why !== null) return;
            back();
            act();
          }}
        >
          {label}
          {shortcuts && <span className="secondary">{letter === ' ' ? t('menu.space') : letter}</span>}
        </button>
      ))}
    </div>
  );
}
