import type { AuditEntry } from '../../../../src/admin/contract/audit.js';

/** Members that differ, as text. */
export function changedLines({
  before,
  after,
}: Pick<AuditEntry, 'before' | 'after'>): { name: string; from: string; to: string }[] {
  const members = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const [a, b] = [members(before), members(after)];
  const text = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .map((name) => ({ name, from: text(a[name]), to: text(b[name]) }))
    .filter(({ from, to }) => from !== to);
}

export function ChangedLines({ entry }: { entry: AuditEntry }) {
  return (
    <ul className="plain-list">
      {changedLines(entry).map(({ name, from, to }) => (
        <li key={name}>
          <code>{name}</code>: <del className="state-failed">{from}</del> → <ins className="state-succeeded">{to}</ins>
        </li>
      ))}
    </ul>
  );
}
