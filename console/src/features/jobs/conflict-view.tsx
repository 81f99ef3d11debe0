import { Alert, Button } from 'antd';
import type { JobConflict, JobDefinitionView } from '../../../../src/admin/contract/jobs.js';
import { type Column, DataTable } from '../../components/data-table';
import { Dialog } from '../../components/dialog';
import { useT } from '../../lib/i18n';

interface Line {
  name: string;
  base: string;
  theirs: string;
  yours: string;
}
const text = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** Somebody saved first: the three versions side by side, and a choice. Nothing is overwritten unseen. */
export function ConflictView({
  conflict,
  yours,
  close,
  takeTheirs,
  keepYours,
}: {
  conflict: JobConflict;
  yours: JobDefinitionView;
  close: () => void;
  takeTheirs: () => void;
  keepYours: () => void;
}) {
  const t = useT();
  const members = (value: unknown) => (value ?? {}) as Record<string, unknown>;
  const [base, theirs, mine] = [members(conflict.base), members(conflict.current), members(yours)];
  const lines: Line[] = [...new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)])]
    .map((name) => ({ name, base: text(base[name]), theirs: text(theirs[name]), yours: text(mine[name]) }))
    .filter((line) => line.theirs !== line.yours);
  const columns: Column<Line>[] = [
    { key: 'name', title: t('jobs.field'), cell: ({ name }) => <code>{name}</code> },
    { key: 'base', title: t('conflict.base'), cell: (line) => <bdi className="mono secondary">{line.base}</bdi> },
    { key: 'theirs', title: t('conflict.theirs'), cell: (line) => <bdi className="mono">{line.theirs}</bdi> },
    { key: 'yours', title: t('conflict.yours'), cell: (line) => <bdi className="mono">{line.yours}</bdi> },
  ];
  return (
    <Dialog
      width={960}
      title={t('conflict.title')}
      onCancel={close}
      footer={
        <>
          <Button onClick={close}>{t('action.back')}</Button>
          <Button onClick={takeTheirs}>{t('conflict.takeTheirs')}</Button>
          <Button type="primary" onClick={keepYours}>
            {t('conflict.keepYours', { n: conflict.currentVersion })}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Alert
          type="warning"
          showIcon
          title={t('conflict.text', { stated: conflict.statedVersion, current: conflict.currentVersion })}
        />
        <DataTable label={t('conflict.title')} columns={columns} rows={lines} rowId={({ name }) => name} empty={t('jobs.same')} />
      </div>
    </Dialog>
  );
}
