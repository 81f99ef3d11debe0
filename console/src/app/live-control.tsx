import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { live, useLive } from '../api/live';
import { useT } from '../lib/i18n';
import { durationText } from '../lib/times';

/** ● live, ❚❚ paused, ⚠ stale with the age of what is on screen. One button: pause or go on. */
export function LiveControl() {
  const t = useT();
  const { state, heardAt } = useLive();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (state !== 'stale') return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [state]);
  const paused = state === 'paused';
  const mark = { live: '●', connecting: '○', paused: '❚❚', stale: '⚠' }[state];
  const text = state === 'stale' ? t('live.stale', { age: durationText(Math.max(0, now - heardAt), t) }) : t(`live.${state}`);
  return (
    <Button
      type="text"
      role="status"
      data-live={state}
      aria-label={`${text} – ${t(paused ? 'live.resume' : 'live.pause')}`}
      onClick={() => (paused ? live.resume() : live.pause())}
    >
      <span aria-hidden="true" className={state === 'stale' ? 'state-late' : state === 'live' ? 'state-succeeded' : undefined}>
        {mark}
      </span>
      {text}
    </Button>
  );
}
