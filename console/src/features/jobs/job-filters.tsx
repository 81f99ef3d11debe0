import { useQuery } from '@tanstack/react-query';
import { Input, Segmented, Select, Tag } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import { api } from '../../api/client';
import { useSession } from '../../api/session';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { JOB_KINDS, JOB_VIEWS, type JobSearch, typedSearch } from './search';

const CHIPS = ['handler', 'owner', 'tag', 'app', 'firesBefore'] as const;

/** What is looked for again and again at one click; beside it what one writes and chooses, and a chip for each filter in force. */
export function JobFilters({ search, onChange }: { search: JobSearch; onChange: (change: Partial<JobSearch>) => void }) {
  const t = useT();
  const me = useSession()?.username;
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const views: Record<string, Partial<JobSearch>> = {
    all: {},
    mine: { owner: me },
    paused: { state: 'paused' },
    ...Object.fromEntries(JOB_VIEWS.map((view) => [view, { view }])),
  };
  const looked = { view: search.view, state: search.state, owner: search.owner };
  const chosen = Object.entries(views).find(([, view]) => same(looked, view))?.[0];
  const chips = CHIPS.flatMap((name) => {
    const value = search[name];
    return value === undefined ? [] : [{ name, text: [value].flat().join(', ') }];
  });
  return (
    <>
      <Segmented
        aria-label={t('jobs.views')}
        style={{ alignSelf: 'start' }}
        value={chosen ?? ''}
        options={Object.keys(views).map((value) => ({ value, label: t(`jobs.view.${value}` as 'jobs.view.all') }))}
        onChange={(value) => onChange({ view: undefined, state: undefined, owner: undefined, ...views[value] })}
      />
      <div className="row">
        <Input.Search
          key={search.q ?? ''}
          data-filter
          allowClear
          style={{ width: 470, maxWidth: '100%' }}
          aria-label={t('jobs.find')}
          placeholder={t('jobs.findHint')}
          defaultValue={search.q}
          onSearch={(text) => onChange(typedSearch(text))}
        />
        <Select
          allowClear
          style={{ width: 140 }}
          aria-label={t('task.state')}
          placeholder={t('task.state')}
          value={search.state}
          options={(['active', 'paused', 'disabled'] as const).map((value) => ({ value, label: t(`jobState.${value}`) }))}
          onChange={(state) => onChange({ state })}
        />
        <Select
          mode="multiple"
          maxTagCount="responsive"
          style={{ minWidth: 160 }}
          aria-label={t('task.group')}
          placeholder={t('task.group')}
          value={search.group ?? []}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={(group) => onChange({ group: group.length > 0 ? group : undefined })}
        />
        <Select
          allowClear
          style={{ width: 200 }}
          aria-label={t('jobs.kind')}
          placeholder={t('jobs.kind')}
          value={search.kind}
          options={JOB_KINDS.map((value) => ({ value, label: t(`jobs.kind.${value}`) }))}
          onChange={(kind) => onChange({ kind })}
        />
        {chips.map(({ name, text }) => (
          <Tag key={name} closable onClose={() => onChange({ [name]: undefined })}>
            {name}: <WrittenText text={text} />
          </Tag>
        ))}
      </div>
    </>
  );
}

const same = (looked: Partial<JobSearch>, view: Partial<JobSearch>): boolean =>
  looked.view === view.view && looked.state === view.state && looked.owner === view.owner;
