import { AutoComplete, Button, Input, Tag } from 'antd';
import { useEffect, useState } from 'react';
import type { ConsoleJobList } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { useT } from '../../lib/i18n';
import { filterSuggestions, type Misread, parseFilterText } from './filter-text';
import { filtersIn, type TaskSearch, withoutFilters } from './search';

/** One text box that takes `group:pay handler:settle` or a task id, and a chip for each filter in force. */
export function TaskFilterBar({ search, onChange }: { search: TaskSearch; onChange: (change: Partial<TaskSearch>) => void }) {
  const t = useT();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<Misread[]>([]);
  useEffect(() => setWrong([]), [text]);
  const chips = filtersIn(search).flatMap((name) => {
    const value = search[name];
    const values = Array.isArray(value) ? value : [value];
    return values.map((each) => ({ name, value: String(each), rest: values.filter((other) => other !== each) }));
  });
  async function commit() {
    const { change, misread } = parseFilterText(text);
    const job =
      misread.length === 0 && change.job !== undefined ? await jobNamed(change.job, change.group ?? search.group) : null;
    if (job && 'rule' in job) misread.push(job);
    else if (job) change.job = job.id;
    setWrong(misread);
    if (misread.length > 0) return;
    setText('');
    if (Object.keys(change).length > 0) onChange(change);
  }
  return (
    <div className="stack" style={{ gap: 6 }}>
      <AutoComplete
        defaultActiveFirstOption={false}
        value={text}
        options={filterSuggestions(text).map((value) => ({ value }))}
        onChange={setText}
      >
        <Input.Search
          data-filter
          allowClear
          aria-label={t('tasks.filter')}
          placeholder={t('tasks.filterHint')}
          status={wrong.length > 0 ? 'error' : undefined}
          enterButton={t('tasks.apply')}
          onSearch={() => void commit()}
        />
      </AutoComplete>
      {wrong.length > 0 && (
        <ul role="alert" className="plain-list state-failed">
          {wrong.map(({ word, rule, choices }) => (
            <li key={`${rule} ${word}`}>
              <bdi className="mono">{word}</bdi>: {t(`tasks.misread.${rule}`, { choices: choices.join(', ') })}
            </li>
          ))}
        </ul>
      )}
      {(chips.length > 0 || search.from || search.to) && (
        <div className="filter-chips">
          {chips.map(({ name, value, rest }) => (
            <Tag
              key={`${name} ${value}`}
              closable
              onClose={() => onChange({ [name]: rest.length > 0 ? rest : undefined } as Partial<TaskSearch>)}
            >
              <bdi>{name}</bdi>: <bdi>{value}</bdi>
            </Tag>
          ))}
          {search.from && (
            <Tag closable onClose={() => onChange({ from: undefined })}>
              {t('tasks.from')} {search.from}
            </Tag>
          )}
          {search.to && (
            <Tag closable onClose={() => onChange({ to: undefined })}>
              {t('tasks.to')} {search.to}
            </Tag>
          )}
          <Button size="small" type="link" onClick={() => onChange(withoutFilters(search))}>
            {t('tasks.reset')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Tasks are found by the id of their job: a key is looked up, in the groups that are asked about. */
async function jobNamed(job: string, group: string[] | undefined): Promise<{ id: string } | Misread> {
  if (/^job_[0-9A-Z]{26}$/i.test(job)) return { id: job };
  const word = `job:${job}`;
  try {
    const { items } = (await api.get<ConsoleJobList>('jobs', { key: job, group, limit: 2 })) ?? { items: [] };
    const [first] = items;
    if (!first) return { word, rule: 'noJob', choices: [] };
    return items.length === 1 ? { id: first.id } : { word, rule: 'manyJobs', choices: items.map((each) => each.group) };
  } catch {
    return { word, rule: 'unread', choices: [] };
  }
}
