import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const never = (): (() => void) => () => {};

/** The time, told every second to who wants it: one clock for the page. */
export const useNow = (ticking: boolean): number =>
  useSyncExternalStore(ticking ? subscribe : never, () => (ticking ? now : 0)) || Date.now();
