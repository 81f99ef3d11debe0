import { useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Segmented } from 'antd';
import { useState } from 'react';
import type { ImportAnswer, ImportItem } from '../../../../src/admin/contract/transfer.js';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { type StateFamily, StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { oneOf } from '../../lib/search';

const ACTIONS = ['create', 'update', 'conflict', 'unchanged'] as const;
const LOOKS: Record<ImportItem['action'], StateFamily> = {
  create: 'succeeded',
  update: 'late',
  conflict: 'failed',
  unchanged: 'skipped',
};

/** Object by object what an import does or did, and in which fields file and installation differ. */
export function ImportReport({ answer: { dryRun, items, errors, counts } }: { answer: ImportAnswer }) {
  const t = useT();
  const code = useCodeText();
  const navigate = useNavigate();
  const shown = oneOf(useSearch({ strict: false }), 'show', ACTIONS);
  const columns: Column<ImportItem>[] = [
    {
      key: 'action',
      title: t('transfer.action'),
      width: 140,
      cell: ({ action }) => (
        <span className={`state-tag state-${LOOKS[action]}`}>
          <StateIcon family={LOOKS[action]} />
          <span>{code(dryRun || errors.length > 0 ? 'importAction' : 'imported', action)}</span>
        </span>
      ),
    },
    { key: 'type', title: t('transfer.type'), width: 80, cell: ({ type }) => code('importType', type) },
    {
      key: 'name',
      title: t('transfer.name'),
      cell: ({ type, group, key, renamedFrom }) => (
        <span>
          <bdi className="mono">{type === 'group' ? key : `${group}/${key}`}</bdi>
          {renamedFrom !== null && <span className="secondary"> {t('transfer.renamedFrom', { key: renamedFrom })}</span>}
        </span>
      ),
    },
    { key: 'diff', title: t('transfer.fields'), cell: (item) => <Diff item={item} /> },
  ];
  return (
    <>
      {!dryRun && errors.length === 0 && (
        <Alert
          type="success"
          showIcon
          role="status"
          title={t('transfer.done', { created: counts.create, updated: counts.update })}
          description={t('transfer.arrivedPaused')}
        />
      )}
      <Segmented
        aria-label={t('transfer.action')}
        style={{ alignSelf: 'start' }}
        value={shown ?? 'all'}
        options={[
          { value: 'all', label: `${t('transfer.all')} ${items.length}` },
          ...ACTIONS.map((action) => ({ value: action as string, label: `${code('importAction', action)} ${counts[action]}` })),
        ]}
        onChange={(value) =>
          void navigate({
            to: '.',
            search: ((before: object) => ({ ...before, show: value === 'all' ? undefined : value })) as never,
            replace: true,
          })
        }
      />
      <DataTable<ImportItem>
        label={t('transfer.items')}
        columns={columns}
        rows={items.filter(({ action }) => shown === undefined || action === shown)}
        rowId={({ type, group, key }) => `${type} ${group}/${key}`}
        edge={({ action }) => (action === 'update' ? 'late' : undefined)}
        empty={<Empty text={t('transfer.noItems')} />}
      />
    </>
  );
}

/** Few differences are shown, many on demand: a new object differs in everything. */
function Diff({ item: { action, diff } }: { item: ImportItem }) {
  const t = useT();
  const [open, setOpen] = useState(action !== 'create' && diff.length <= 4);
  if (diff.length === 0) return <span className="secondary">–</span>;
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('transfer.fieldCount', { n: diff.length, names: diff.map(({ field }) => field).join(', ') })}</summary>
      {open && (
        <ul className="transfer-diff">
          {diff.map(({ field, before, after }) => (
            <li key={field}>
              <code>{field}</code>:{' '}
              {action !== 'create' && (
                <>
                  <del className="state-failed mono">{before ?? t('transfer.absent')}</del> →{' '}
                </>
              )}
              <ins className="state-succeeded mono">{after ?? t('transfer.absent')}</ins>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
