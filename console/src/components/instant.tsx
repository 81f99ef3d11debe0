import { Popover } from 'antd';
import { useState } from 'react';
import { usePreferences } from '../lib/preferences';
import { browserZone, instantText, isoInZone, relativeText } from '../lib/times';
import { CopyButton } from './copy-button';

/** An instant in the display zone; hover or focus tells the rest. `jobZone`: also shown there when it differs. */
export function Instant({ at, jobZone }: { at: string | number | null | undefined; jobZone?: string | null }) {
  const { zone } = usePreferences();
  const [open, setOpen] = useState(false);
  if (at === null || at === undefined) return <span className="secondary">–</span>;
  const millis = typeof at === 'number' ? at : Date.parse(at);
  const text = <time dateTime={new Date(millis).toISOString()}>{instantText(millis, zone)}</time>;
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger={['hover', 'focus']}
      mouseEnterDelay={0.3}
      content={open ? <InstantCard millis={millis} jobZone={jobZone ?? null} /> : null}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the card must be reachable by keyboard */}
      <span className="instant" tabIndex={0}>
        {text}
      </span>
    </Popover>
  );
}

function InstantCard({ millis, jobZone }: { millis: number; jobZone: string | null }) {
  const { zone, language } = usePreferences();
  const shown = zone ?? browserZone();
  const iso = isoInZone(millis, zone);
  return (
    <div className="stack" style={{ gap: 4 }}>
      <strong>{relativeText(millis, Date.now(), language)}</strong>
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
