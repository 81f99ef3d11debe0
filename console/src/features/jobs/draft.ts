import type { JobForm } from './job-form';

/**
 * What a person typed and did not save, for this tab: it outlives a session that ends, and goes with the tab or when the person signs out,
 * in whatever tab of the browser. It is kept under the person's name: whoever signs in next in the same tab finds nothing of it.
 */
const DRAFTS = 'evenkeel.draft.job.';
/** Of the whole browser, by person: when they last signed out of their own accord. Told to all tabs, also to those that come back later. */
const SIGNED_OUT = 'evenkeel.signed-out.';
const nameOf = (username: string, key: string): string => `${DRAFTS}${encodeURIComponent(username)}/${key}`;

interface Draft {
  /** Of the job it was typed against; 0 for one that is new. */
  version: number;
  form: JobForm;
}
type KeptDraft = Draft & { keptAt: number };

export function readDraft(username: string, key: string): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(username, key)) ?? 'null') as Partial<KeptDraft> | null;
    return kept?.form && kept.version !== undefined ? { version: kept.version, form: kept.form } : null;
  } catch {
    return null;
  }
}
export function keepDraft(username: string, key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(nameOf(username, key), JSON.stringify({ ...draft, keptAt: Date.now() } satisfies KeptDraft));
  } catch {
    // Without storage a draft lives as long as the page.
  }
}
export function dropDraft(username: string, key: string): void {
  try {
    sessionStorage.removeItem(nameOf(username, key));
  } catch {
    // There was none.
  }
}

/** Somebody signed out: what they had typed goes from every tab of this browser. A session that merely ended leaves it. */
export function endDrafts(username: string): void {
  try {
    localStorage.setItem(SIGNED_OUT + encodeURIComponent(username), String(Date.now()));
  } catch {
    // Without storage of the browser other tabs are not told; here they go all the same.
  }
  drop(({ owner }) => owner === encodeURIComponent(username));
}

/** Drops what was typed before its person signed out elsewhere: now, for a tab that was away then, and whenever somebody does. */
export function watchDrafts(): void {
  const dropEnded = () => drop(({ owner, keptAt }) => keptAt <= Number(localStorage.getItem(SIGNED_OUT + owner) ?? -1));
  dropEnded();
  window.addEventListener('storage', ({ key }) => key?.startsWith(SIGNED_OUT) && dropEnded());
}

function drop(isEnded: (draft: { owner: string; keptAt: number }) => boolean): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (!name.startsWith(DRAFTS)) continue;
      const [owner = ''] = name.slice(DRAFTS.length).split('/');
      const { keptAt = 0 } = JSON.parse(sessionStorage.getItem(name) ?? '{}') as Partial<KeptDraft>;
      if (isEnded({ owner, keptAt })) sessionStorage.removeItem(name);
    }
  } catch {
    // There were none.
  }
}
