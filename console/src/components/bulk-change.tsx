import { useQuery } from '@tanstack/react-query';
import { Input, Select } from 'antd';
import { useEffect, useId, useState } from 'react';
import type { BulkChange, BulkKind } from '../../../src/admin/contract/bulk.js';
import type { GroupList } from '../../../src/admin/contract/groups.js';
import { api } from '../api/client';
import { useT } from '../lib/i18n';

/** Somebody who types is not asked about after each letter. */
const SETTLED_MS = 300;

export const isChanging = (kind: BulkKind): boolean => kind === 'jobs.move' || kind === 'jobs.set_owner';

/** What is to be made of each: the group it goes to, or the owner it gets. `onChange` hears of it when it has settled. */
export function BulkChangeField({ kind, onChange }: { kind: BulkKind; onChange: (change: BulkChange) => void }) {
  return kind === 'jobs.move' ? <GroupField onChange={onChange} /> : <OwnerField onChange={onChange} />;
}

function GroupField({ onChange }: { onChange: (change: BulkChange) => void }) {
  const t = useT();
  const id = useId();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const editable = groups.data?.items.filter(({ permissions }) => permissions.includes('jobs.edit')) ?? [];
  return (
    <div className="stack" style={{ gap: 4 }}>
      <span>{t('bulk.moveMeans')}</span>
      <label htmlFor={id}>{t('bulk.moveTo')}</label>
      <Select
        id={id}
        showSearch
        options={editable.map(({ key }) => ({ value: key, label: key }))}
        onChange={(group: string) => onChange({ group })}
      />
    </div>
  );
}

function OwnerField({ onChange }: { onChange: (change: BulkChange) => void }) {
  const t = useT();
  const id = useId();
  const [owner, setOwner] = useState<string | null>(null);
  useEffect(() => {
    if (owner === null) return;
    const timer = setTimeout(() => onChange({ owner: owner.trim() === '' ? null : owner.trim() }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [owner, onChange]);
  return (
    <div className="stack" style={{ gap: 4 }}>
      <label htmlFor={id}>{t('bulk.newOwner')}</label>
      <Input
        id={id}
        maxLength={128}
        placeholder={t('bulk.noOwner')}
        value={owner ?? ''}
        onChange={({ target }) => setOwner(target.value)}
      />
    </div>
  );
}
