import type { JobForm } from './job-form';

/** What was typed and not saved, for this tab: it outlives a session that ends, and goes with the tab. */
const nameOf = (key: string): string => `evenkeel.draft.job.${key}`;

export function readDraft(key: string): JobForm | null {
  try {
    const text = sessionStorage.getItem(nameOf(key));
    return text === null ? null : (JSON.parse(text) as JobForm);
  } catch {
    return null;
  }
}
export function keepDraft(key: string, form: JobForm): void {
  try {
    sessionStorage.setItem(nameOf(key), JSON.stringify(form));
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
