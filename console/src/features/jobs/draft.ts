import type { JobForm } from './job-form';

/**
 * What a person typed and did not save, for this tab: it outlives a session that ends, and goes with the tab or when the person signs out.
 * It is kept under the person's name: whoever signs in next in the same tab finds nothing of it.
 */
const DRAFTS = 'evenkeel.draft.job.';
const nameOf = (username: string, key: string): string => `${DRAFTS}${encodeURIComponent(username)}/${key}`;

interface Draft {
  /** Of the job it was typed against; 0 for one that is new. */
  version: number;
  form: JobForm;
}

export function readDraft(username: string, key: string): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(username, key)) ?? 'null') as Partial<Draft> | null;
    return kept?.form && kept.version !== undefined ? { version: kept.version, form: kept.form } : null;
  } catch {
    return null;
  }
}
export function keepDraft(username: string, key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(nameOf(username, key), JSON.stringify(draft));
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
/** Those of everybody. */
export function dropAllDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(DRAFTS)) sessionStorage.removeItem(name);
  } catch {
    // There were none.
  }
}
