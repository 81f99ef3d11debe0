import { useSyncExternalStore } from 'react';

export type Language = 'zh-CN' | 'en';
export type ThemeChoice = 'system' | 'light' | 'dark';
/** The server tells of changes once a second. */
export const LIVE_SECONDS = [1, 5, 15, 60, 0] as const;
export const LANDINGS = ['/overview', '/tasks', '/jobs', '/workers', '/callbacks'] as const;

/** What a person chose for this browser. */
export interface Preferences {
  language: Language;
  theme: ThemeChoice;
  /** IANA zone times are shown in; null for the browser's. */
  zone: string | null;
  navCollapsed: boolean;
  /** At most every so many seconds what is on screen is asked for again when it changes; 0: not until one asks. */
  liveSeconds: (typeof LIVE_SECONDS)[number];
  /** The page one begins with. */
  landing: (typeof LANDINGS)[number];
  /** Single-letter shortcuts. */
  shortcuts: boolean;
  density: 'compact' | 'comfortable';
  /** Keys of the columns hidden in a list, by the list's name; absent: as the list has it. */
  hiddenColumns: Record<string, string[]>;
  /** Views of a list that were named, by the list's name; `search` is the query of its URL. */
  savedViews: Record<string, { name: string; search: string }[]>;
  /** What of the overview is not to be shown before then, by what it is about; epoch milliseconds. */
  snoozed: Record<string, number>;
  /** The list of first steps was sent away before it was walked. */
  firstStepsHidden: boolean;
}

const KEY = 'evenkeel.preferences';
const DEFAULTS: Preferences = {
  language: navigator.language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en',
  theme: 'system',
  zone: null,
  navCollapsed: false,
  liveSeconds: 1,
  landing: '/overview',
  shortcuts: true,
  density: 'compact',
  hiddenColumns: {},
  savedViews: {},
  snoozed: {},
  firstStepsHidden: false,
};

let current: Preferences = read();
const listeners = new Set<() => void>();
window.addEventListener('storage', ({ key }) => {
  if (key !== KEY) return;
  current = read();
  for (const listener of listeners) listener();
});

/** A browser that keeps nothing still works: the choice then lasts as long as the page. */
function read(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return DEFAULTS;
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Kept in memory only.
  }
  for (const listener of listeners) listener();
}

export const preferences = (): Preferences => current;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);
