import type { JobForm } from './job-form';

/** What was typed and not saved, for this tab: it outlives a session that ends, and goes with the tab. */
const nameOf = (key: string): string => `evenkeel.draft.job.${key}`;

interface Draft {
  /** Of the job it was typed against; 0 for one that is new. */
  version: number;
  form: JobForm;
}

export function readDraft(key: string): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(key)) ?? 'null') as Partial<Draft> | null;
    return kept?.form && kept.version !== undefined ? { version: kept.version, form: kept.form } : null;
  } catch {
    return null;
  }
}
export function keepDraft(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(nameOf(key), JSON.stringify(draft));
  } catch {
    // Without storage a draft lives as long as the page.
  }
}
export function dropDraft(key: string): void {
  try {
    sessionStorage.removeItem(nameOf(key));
  } catch {
    // There was none.
  }
}
