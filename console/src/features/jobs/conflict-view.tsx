import { Alert, Button, Radio } from 'antd';
import { useId, useState } from 'react';
import type { JobConflict, JobDefinitionView } from '../../../../src/admin/contract/jobs.js';
import { type Column, DataTable } from '../../components/data-table';
import { Dialog } from '../../components/dialog';
import { useT } from '../../lib/i18n';
import { MemberName, useMemberText } from './definition-words';
import { type Difference, differencesOf, mergedDefinition, type Side } from './merge-definitions';

/**
 * Somebody saved first: both edits beside what they were made from. What one side changed is taken from it, what both changed is chosen
 * by the person. Nothing is overwritten unseen.
 */
export function ConflictView({
  conflict,
  yours,
  close,
  takeTheirs,
  keepYours,
  saveMerged,
}: {
  conflict: JobConflict;
  yours: JobDefinitionView;
  close: () => void;
  takeTheirs: () => void;
  keepYours: () => void;
  saveMerged: (merged: JobDefinitionView) => void;
}) {
  const t = useT();
  const id = useId();
  const textOf = useMemberText();
  const { base, current: theirs, currentVersion, statedVersion } = conflict;
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const differences = differencesOf(base, theirs, yours);
  const sideOf = ({ name, changedBy }: Difference): Side | undefined =>
    chosen[name] ?? (changedBy === 'theirs' || changedBy === 'yours' ? changedBy : undefined);
  const isOpen = (difference: Difference) => sideOf(difference) === undefined;
  const left = differences.filter(isOpen).length;
  const choice = (side: Side): Column<Difference> => ({
    key: side,
    title: t(`conflict.${side}`),
    cell: (difference) => (
      <Radio
        className="merge-choice"
        name={`${id} ${difference.name}`}
        checked={sideOf(difference) === side}
        onChange={() => setChosen((before) => ({ ...before, [difference.name]: side }))}
      >
        <span className="visually-hidden">{`${difference.name}, ${t(`conflict.${side}`)}: `}</span>
        <bdi className="mono">{textOf(difference.name, difference[side], zoneOf(side === 'theirs' ? theirs : yours))}</bdi>
      </Radio>
    ),
  });
  const columns: Column<Difference>[] = [
    { key: 'name', title: t('jobs.field'), cell: ({ name }) => <MemberName name={name} /> },
    {
      key: 'by',
      title: t('conflict.changedBy'),
      cell: ({ changedBy }) => <span className="one-line">{t(`conflict.changedBy.${changedBy}`)}</span>,
    },
    {
      key: 'base',
      title: t('conflict.base'),
      cell: (difference) => (
        <bdi className="mono secondary merge-value">{textOf(difference.name, difference.base, zoneOf(base ?? theirs))}</bdi>
      ),
    },
    choice('theirs'),
    choice('yours'),
  ];
  return (
    <Dialog
      width={1080}
      title={t('conflict.title')}
      onCancel={close}
      footer={
        <>
          <span role="status" className="state-late merge-left">
            {left > 0 && t('conflict.left', { n: left })}
          </span>
          <Button onClick={close}>{t('action.back')}</Button>
          <Button onClick={takeTheirs}>{t('conflict.takeTheirs')}</Button>
          <Button onClick={keepYours}>{t('conflict.keepYours', { n: currentVersion })}</Button>
          <Button
            type="primary"
            disabled={left > 0}
            onClick={() => saveMerged(mergedDefinition(theirs, differences, (difference) => sideOf(difference) ?? 'theirs'))}
          >
            {t('conflict.saveMerged')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Alert type="warning" showIcon title={t('conflict.text', { stated: statedVersion, current: currentVersion })} />
        <DataTable
          label={t('conflict.title')}
          columns={columns}
          rows={differences}
          rowId={({ name }) => name}
          edge={(difference) => (isOpen(difference) ? 'late' : undefined)}
          empty={t('jobs.same')}
        />
      </div>
    </Dialog>
  );
}

const zoneOf = ({ timeZone }: JobDefinitionView): string => timeZone ?? 'UTC';
