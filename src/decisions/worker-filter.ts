/** Which workers may take a task, beside having its handler. Both absent: any. */
export interface WorkerFilter {
  /** The worker has all of these. */
  workerTags?: readonly string[];
  workerZone?: string;
}

export interface TaggedWorker {
  tags?: readonly string[];
  zone?: string;
}

export const ANY_WORKER: WorkerFilter = {};

/** One text for all filters that mean the same; empty for none. */
export function filterText({ workerTags, workerZone }: WorkerFilter): string {
  if (workerTags === undefined && workerZone === undefined) return '';
  const tags = [...new Set(workerTags ?? [])].sort();
  if (tags.length === 0 && workerZone === undefined) return '';
  return JSON.stringify({
    ...(tags.length > 0 ? { workerTags: tags } : {}),
    ...(workerZone === undefined ? {} : { workerZone }),
  });
}

/** The filter such a text stands for. */
export const filterOf = (text: string): WorkerFilter => (text === '' ? ANY_WORKER : (JSON.parse(text) as WorkerFilter));

export const meetsFilter = ({ tags, zone }: TaggedWorker, { workerTags, workerZone }: WorkerFilter): boolean =>
  (workerZone === undefined || zone === workerZone) && (workerTags ?? []).every((tag) => tags?.includes(tag) ?? false);
