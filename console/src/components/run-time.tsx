import { memo } from 'react';
import { useT } from '../lib/i18n';
import { useNow } from '../lib/now';
import { durationText } from '../lib/times';

/** How long it ran, or has run so far: that goes on by itself. Instants in epoch milliseconds. */
export const RunTime = memo(function RunTime({
  startedAt,
  endedAt,
}: {
  startedAt: number | null | '';
  endedAt: number | null | '';
}) {
  const t = useT();
  const now = useNow(Boolean(startedAt && !endedAt));
  if (!startedAt) return <>–</>;
  return <>{durationText(Math.max(0, (endedAt || now) - startedAt), t)}</>;
});
