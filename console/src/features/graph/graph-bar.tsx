import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Segmented, Select, Tag } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import { api } from '../../api/client';
import { useT } from '../../lib/i18n';
import type { GraphJob } from './graph-model';
import { DEPTH, DEPTHS, type GraphSearch } from './graph-search';

/** What is drawn, how far, and finding one in it. */
export function GraphBar({
  search,
  view,
  nodes,
  onChange,
}: {
  search: GraphSearch;
  view: 'graph' | 'list';
  nodes: readonly GraphJob[];
  onChange: (change: Partial<GraphSearch>, replace?: boolean) => void;
}) {
  const t = useT();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  return (
    <div className="row" data-filter>
      {search.focus === undefined ? (
        <Select
          mode="multiple"
          allowClear
          style={{ minWidth: 220 }}
          aria-label={t('task.group')}
          placeholder={t('graph.allGroups')}
          value={search.group ?? []}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={(group) => onChange({ group: group.length > 0 ? group : undefined, job: undefined })}
        />
      ) : (
        <>
          <Button onClick={() => onChange({ focus: undefined, depth: undefined })}>{t('graph.whole')}</Button>
          <Select
            aria-label={t('graph.depth')}
            value={search.depth ?? DEPTH}
            options={[...new Set([...DEPTHS, search.depth ?? DEPTH])]
              .sort((a, b) => a - b)
              .map((value) => ({ value, label: t('graph.steps', { n: value }) }))}
            onChange={(depth) => onChange({ depth: depth === DEPTH ? undefined : depth })}
          />
        </>
      )}
      <Select
        showSearch={{ optionFilterProp: 'label' }}
        allowClear
        style={{ width: 260 }}
        aria-label={t('graph.find')}
        placeholder={t('graph.find')}
        value={nodes.some(({ id }) => id === search.job) ? search.job : undefined}
        options={nodes.map(({ id, key, group }) => ({ value: id, label: `${group}/${key}` }))}
        onChange={(job: string | undefined) => onChange({ job }, true)}
      />
      <Segmented
        aria-label={t('graph.view')}
        value={view}
        options={(['graph', 'list'] as const).map((value) => ({ value, label: t(`graph.as.${value}`) }))}
        onChange={(value) => onChange({ view: value })}
      />
      {search.flow !== undefined && (
        <Tag closable onClose={() => onChange({ flow: undefined })}>
          {t('graph.flow')}{' '}
          <Link to="/tasks" search={{ flowId: search.flow, since: 'all' } as never}>
            <bdi className="mono">{search.flow.slice(-8)}</bdi>
          </Link>
        </Tag>
      )}
      <span className="secondary" role="status">
        {t('graph.count', { n: nodes.length })}
      </span>
    </div>
  );
}
