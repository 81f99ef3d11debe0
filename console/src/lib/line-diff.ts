export interface ChangedLine {
  kind: 'gone' | 'new';
  text: string;
  /** Its place in its own text. */
  at: number;
}

/** Lines between the common beginning and the common end: what one change of a text replaced by what. */
export function changedLines(before: string, after: string): ChangedLine[] {
  if (before === after) return [];
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const part = (lines: string[], kind: ChangedLine['kind']) =>
    lines.slice(start, lines.length - end).map((text, i) => ({ kind, text, at: start + i }));
  return [...part(a, 'gone'), ...part(b, 'new')];
}
