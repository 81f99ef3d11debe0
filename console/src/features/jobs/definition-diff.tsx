import type { JobDefinitionView } from '../../../../src/admin/contract/jobs.js';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { useT } from '../../lib/i18n';
import { MemberName, useMemberText } from './definition-words';
import { isSame } from './merge-definitions';

interface Line {
  name: string;
  before: string;
  after: string;
}

/** Member by member what differs. `before` null: the first version, so everything is new. */
export function DefinitionDiff({ before, after }: { before: JobDefinitionView | null; after: JobDefinitionView }) {
  const t = useT();
  const textOf = useMemberText();
  const a = (before ?? {}) as unknown as Record<string, unknown>;
  const b = after as unknown as Record<string, unknown>;
  // In one zone, so that an instant reads the same on both sides.
  const zone = after.timeZone ?? 'UTC';
  const lines: Line[] = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => !isSame(a[name], b[name]))
    .map((name) => ({ name, before: textOf(name, a[name], zone), after: textOf(name, b[name], zone) }));
  const columns: Column<Line>[] = [
    { key: 'name', title: t('jobs.field'), cell: ({ name }) => <MemberName name={name} /> },
    { key: 'before', title: t('jobs.before'), cell: (line) => <bdi className="mono state-failed">{line.before}</bdi> },
    { key: 'after', title: t('jobs.after'), cell: (line) => <bdi className="mono state-succeeded">{line.after}</bdi> },
  ];
  return (
    <DataTable
      label={t('jobs.changes')}
      columns={columns}
      rows={lines}
      rowId={({ name }) => name}
      empty={<Empty text={t('jobs.same')} />}
    />
  );
}
