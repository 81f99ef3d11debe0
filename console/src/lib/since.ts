/** Time windows of lists, as they stand in the URL. */
export const WINDOWS = ['15m', '1h', '24h', '7d', '30d', 'all'] as const;
export type Window = (typeof WINDOWS)[number];
export const DEFAULT_WINDOW: Window = '24h';

const MINUTES: Record<Exclude<Window, 'all'>, number> = { '15m': 15, '1h': 60, '24h': 1_440, '7d': 10_080, '30d': 43_200 };

/** RFC 3339 start of the window, to the minute so that the same view asks the same question; undefined for all. */
export function windowStart(window: Window, now = Date.now()): string | undefined {
  if (window === 'all') return undefined;
  return new Date(Math.floor(now / 60_000) * 60_000 - MINUTES[window] * 60_000).toISOString();
}
export const wider = (window: Window): Window | undefined => WINDOWS[WINDOWS.indexOf(window) + 1];
