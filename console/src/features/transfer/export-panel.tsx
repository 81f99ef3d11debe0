import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Radio, Select } from 'antd';
import { useEffect, useId, useState } from 'react';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { ConsoleJobList } from '../../../../src/admin/contract/jobs.js';
import { api, queryText } from '../../api/client';
import { ErrorPanel } from '../../components/error-panel';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { many, oneOf } from '../../lib/search';

/** A request's first line has room for so many ids; who wants more takes whole groups. */
const MOST_JOBS = 100;

/** What is chosen is in the URL; the file is the server's answer, byte for byte. */
export function ExportPanel() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const [groupsId, jobsId] = [useId(), useId()];
  const group = many(raw, 'group') ?? [];
  const job = (many(raw, 'job') ?? []).slice(0, MOST_JOBS);
  const format = oneOf(raw, 'format', ['json', 'yaml'] as const) ?? 'json';
  const [typed, setTyped] = useState('');
  const q = useSettled(typed);
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const jobs = useQuery({
    queryKey: ['jobs', 'to-export', q, group],
    queryFn: ({ signal }) => api.get<ConsoleJobList>('jobs', { q, group, limit: 50 }, signal),
    placeholderData: keepPreviousData,
  });
  const go = (change: { group?: string[]; job?: string[]; format?: string }) =>
    void navigate({
      to: '/transfer',
      search: { group, job, format: format === 'json' ? undefined : format, ...change } as never,
      replace: true,
    });
  // Jobs of partners stay with them, so they are not offered.
  const offered = jobs.data?.items.filter(({ app }) => app === null) ?? [];
  return (
    <div className="stack transfer-form">
      <p className="secondary" style={{ margin: 0 }}>
        {t('transfer.exportNote')}
      </p>
      {groups.error && <ErrorPanel error={groups.error} onRetry={() => void groups.refetch()} />}
      <div className="stack transfer-field">
        <label htmlFor={groupsId}>{t('transfer.groups')}</label>
        <Select
          id={groupsId}
          mode="multiple"
          allowClear
          placeholder={t('transfer.allGroups')}
          value={group}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={(value) => go({ group: value })}
        />
      </div>
      <div className="stack transfer-field">
        <label htmlFor={jobsId}>{t('transfer.jobs')}</label>
        <Select
          id={jobsId}
          mode="multiple"
          allowClear
          maxCount={MOST_JOBS}
          placeholder={t('transfer.allJobs')}
          value={job}
          showSearch={{ filterOption: false, onSearch: setTyped }}
          options={offered.map(({ id, key, group: of }) => ({ value: id, label: `${of}/${key}` }))}
          notFoundContent={jobs.isFetching ? '…' : t('transfer.noJobFound')}
          onChange={(value) => go({ job: value })}
        />
        <span className="secondary">{t('transfer.jobsNote', { n: MOST_JOBS })}</span>
      </div>
      <Radio.Group
        aria-label={t('transfer.format')}
        value={format}
        options={[
          { value: 'json', label: 'JSON' },
          { value: 'yaml', label: 'YAML' },
        ]}
        onChange={({ target }) => go({ format: target.value === 'json' ? undefined : target.value })}
      />
      <div className="row">
        <Button
          type="primary"
          href={withBase(`api/export${queryText({ group, job, format: format === 'json' ? undefined : format })}`)}
          download={`evenkeel-configuration.${format}`}
        >
          {t('transfer.download')}
        </Button>
      </div>
    </div>
  );
}

/** What was typed, once no more is typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
