import { Popover } from 'antd';
import { memo, useSyncExternalStore } from 'react';
import { usePreferences } from '../lib/preferences';
import { browserZone, instantText, isoInZone, relativeText } from '../lib/times';
import { CopyButton } from './copy-button';

/** An instant in the display zone; hover or focus tells the rest. `jobZone`: also shown there when it differs. */
export const Instant = memo(function Instant({
  at,
  jobZone = null,
}: {
  at: string | number | null | undefined;
  jobZone?: string | null;
}) {
  const { zone } = usePreferences();
  if (at === null || at === undefined) return <span className="secondary">–</span>;
  const millis = typeof at === 'number' ? at : Date.parse(at);
  const show = ({ currentTarget }: { currentTarget: Element }) => card.show({ target: currentTarget, millis, jobZone });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/noStaticElementInteractions: the card must be reachable by keyboard
    <span className="instant" tabIndex={0} onMouseEnter={show} onFocus={show} onMouseLeave={card.leave} onBlur={card.leave}>
      <time dateTime={new Date(millis).toISOString()}>{instantText(millis, zone)}</time>
    </span>
  );
});

const SHOW_MS = 300;
const LEAVE_MS = 200;
interface Shown {
  target: Element;
  millis: number;
  jobZone: string | null;
}

/** One card for all instants of the page: a list has hundreds of them, and one is looked at. */
const card = {
  shown: null as Shown | null,
  listeners: new Set<() => void>(),
  timer: undefined as ReturnType<typeof setTimeout> | undefined,
  later(shown: Shown | null, ms: number) {
    clearTimeout(card.timer);
    card.timer = setTimeout(() => {
      card.shown = shown;
      for (const listener of card.listeners) listener();
    }, ms);
  },
  show: (shown: Shown) => card.later(shown, SHOW_MS),
  leave: () => card.later(null, LEAVE_MS),
  stay: () => clearTimeout(card.timer),
  subscribe(listener: () => void) {
    card.listeners.add(listener);
    return () => card.listeners.delete(listener);
  },
};

/** Stands once in the page; shows the card beside the instant that is looked at. */
export function InstantCards() {
  const shown = useSyncExternalStore(card.subscribe, () => card.shown);
  if (!shown?.target.isConnected) return null;
  const { left, top, width, height } = shown.target.getBoundingClientRect();
  return (
    <Popover
      key={`${left} ${top}`}
      open
      content={
        // biome-ignore lint/a11y/noStaticElementInteractions: moving onto it keeps it open, so that one can copy
        <div onMouseEnter={card.stay} onMouseLeave={card.leave} onFocus={card.stay} onBlur={card.leave}>
          <InstantCard millis={shown.millis} jobZone={shown.jobZone} />
        </div>
      }
    >
      <span style={{ position: 'fixed', left, top, width, height, pointerEvents: 'none' }} />
    </Popover>
  );
}

function InstantCard({ millis, jobZone }: { millis: number; jobZone: string | null }) {
  const { zone, language } = usePreferences();
  const shown = zone ?? browserZone();
  const iso = isoInZone(millis, zone);
  return (
    <div className="stack" style={{ gap: 4 }}>
      <strong>{relativeText(millis, Date.now(), language, zone)}</strong>
      <span className="row">
        <code>{iso}</code> {shown} <CopyButton text={iso} />
      </span>
      <span>
        <code>{new Date(millis).toISOString()}</code> UTC
      </span>
      {jobZone && jobZone !== shown && (
        <span>
          <code>{isoInZone(millis, jobZone)}</code> {jobZone}
        </span>
      )}
    </div>
  );
}
