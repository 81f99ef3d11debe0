import { usePreferences } from '../lib/preferences';
import { useLive } from './live';
import { useSite } from './site';

/** For what the stream has no topic of: how often to ask again while somebody looks. False when paused, and for who wants no updates; for nobody
 * more often than the floor. */
export function useLookAgain(everyMs = 5_000): number | false {
  const { state } = useLive();
  const { liveSeconds } = usePreferences();
  const { liveFloorSeconds = 1 } = useSite() ?? {};
  return state === 'paused' || liveSeconds === 0 ? false : Math.max(everyMs, liveSeconds * 1_000, liveFloorSeconds * 1_000);
}
