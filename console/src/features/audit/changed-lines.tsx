import type { AuditEntry } from '../../../../src/admin/contract/audit.js';
import { marksShown } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';

interface ChangedLine {
  name: string;
  /** Null: there was none before, or is none after. */
  from: string | null;
  to: string | null;
}
type Change = Pick<AuditEntry, 'before' | 'after'>;

/** Members that differ, as text. */
export function changedLines({ before, after }: Change): ChangedLine[] {
  const members = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const [a, b] = [members(before), members(after)];
  const text = (value: unknown) =>
    value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .map((name) => ({ name, from: text(a[name]), to: text(b[name]) }))
    .filter(({ from, to }) => from !== to);
}

/** The first member that differs, in a line, and how many more there are. */
export function ChangeLine({ entry }: { entry: Change }) {
  const t = useT();
  const lines = changedLines(entry);
  const [first] = lines;
  if (!first) return null;
  return (
    <span className="change-line">
      <code>{first.name}</code> {first.from !== null && <del>{marksShown(first.from)}</del>}
      {first.from !== null && first.to !== null && ' → '}
      {first.to !== null && <ins>{marksShown(first.to)}</ins>}
      {lines.length > 1 && <span className="secondary"> {t('audit.more', { n: lines.length - 1 })}</span>}
    </span>
  );
}

/** Every member that differs, before and after. */
export function ChangedLines({ entry }: { entry: Change }) {
  const t = useT();
  const lines = changedLines(entry);
  if (lines.length === 0) return <span className="secondary">{t('jobs.same')}</span>;
  return (
    <table className="change-table">
      <thead>
        <tr>
          <th scope="col">{t('jobs.field')}</th>
          <th scope="col">{t('jobs.before')}</th>
          <th scope="col">{t('jobs.after')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, from, to }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{from === null ? '–' : <del>{marksShown(from)}</del>}</td>
            <td>{to === null ? '–' : <ins>{marksShown(to)}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
