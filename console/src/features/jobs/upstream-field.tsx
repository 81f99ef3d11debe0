import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import type { ConsoleJobList, JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { useT } from '../../lib/i18n';

const FOUND = 50;

/** Jobs it waits for, found by name; those it waits for already are named whatever is looked for. */
export function UpstreamField({
  job,
  group,
  id,
  value = [],
  onChange,
}: {
  job: JobDetail | null;
  group: string;
  /** Of the form's field. */
  id?: string;
  value?: string[];
  onChange?: (ids: string[]) => void;
}) {
  const t = useT();
  const [words, setWords] = useState('');
  const found = useQuery({
    queryKey: ['jobs', 'upstreams', group, words],
    queryFn: ({ signal }) => api.get<ConsoleJobList>('jobs', { q: words || undefined, limit: FOUND }, signal),
    placeholderData: keepPreviousData,
  });
  const names = new Map<string, string>();
  for (const each of found.data?.items ?? []) names.set(each.id, `${each.group}/${each.key}`);
  for (const each of job?.upstreamJobs ?? [])
    names.set(each.id, each.key === null ? t('jobs.hiddenJob') : `${each.group}/${each.key}`);
  if (job) names.delete(job.id);
  return (
    <Select
      id={id}
      mode="multiple"
      showSearch={{ filterOption: false, onSearch: setWords }}
      placeholder={t('jobs.findUpstream')}
      value={value}
      options={[...new Set([...names.keys(), ...value])].map((each) => ({ value: each, label: names.get(each) ?? each }))}
      onChange={onChange}
    />
  );
}
