import { AutoComplete, Button, Input, Tag } from 'antd';
import { useEffect, useState } from 'react';
import { useT } from '../../lib/i18n';
import { filterSuggestions, parseFilterText } from './filter-text';
import { filtersIn, type TaskSearch, withoutFilters } from './search';

/** One text box that takes `group:pay handler:settle` or a task id, and a chip for each filter in force. */
export function TaskFilterBar({ search, onChange }: { search: TaskSearch; onChange: (change: Partial<TaskSearch>) => void }) {
  const t = useT();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string[]>([]);
  useEffect(() => setWrong([]), [text]);
  const chips = filtersIn(search).flatMap((name) => {
    const value = search[name];
    const values = Array.isArray(value) ? value : [value];
    return values.map((each) => ({ name, value: String(each), rest: values.filter((other) => other !== each) }));
  });
  function commit() {
    const { change, unknown } = parseFilterText(text);
    setWrong(unknown);
    if (unknown.length > 0) return;
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
          onSearch={commit}
        />
      </AutoComplete>
      {wrong.length > 0 && (
        <span role="alert" className="state-failed">
          {t('tasks.unknownFilter', { names: wrong.join(', ') })}
        </span>
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
