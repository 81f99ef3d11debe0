import { Button, Input, Popover } from 'antd';
import { useState } from 'react';
import { useT } from '../../lib/i18n';
import { setPreferences, usePreferences } from '../../lib/preferences';
import { parseSearch, stringifySearch } from '../../lib/search';
import { type TaskSearch, taskSearch } from './search';
import './tasks.css';

/** What is looked for again and again. */
const VIEWS = {
  all: {},
  running: { state: ['DISPATCHED', 'RUNNING'] },
  late: { late: true },
  failedHour: { state: ['FAILED', 'TIMED_OUT'], since: '1h' },
  waiting: { state: ['PENDING', 'BLOCKED', 'RETRYING'], since: 'all' },
} satisfies Record<string, TaskSearch>;
const NAME_LENGTH = 40;
const MOST_VIEWS = 20;

/** Views at one click: those everybody has, and those a person has named in this browser. */
export function TaskViews({ search, onOpen }: { search: TaskSearch; onOpen: (search: TaskSearch) => void }) {
  const t = useT();
  const { savedViews } = usePreferences();
  const saved = savedViews.tasks ?? [];
  const now = textOf(search);
  const keep = (tasks: typeof saved) => setPreferences({ savedViews: { ...savedViews, tasks } });
  const known = saved.some((view) => view.search === now) || Object.values(VIEWS).some((view) => textOf(view) === now);
  return (
    <nav className="row" aria-label={t('tasks.views')}>
      {Object.entries(VIEWS).map(([name, view]) => (
        <ViewButton key={name} on={textOf(view) === now} open={() => onOpen(view)}>
          {t(`tasks.view.${name}` as 'tasks.view.all')}
        </ViewButton>
      ))}
      {saved.map(({ name, search: text }) => (
        <span key={name} className="row" style={{ gap: 0 }}>
          <ViewButton on={text === now} open={() => onOpen(taskSearch(parseSearch(text)))}>
            <bdi>{name}</bdi>
          </ViewButton>
          <Button
            size="small"
            type="text"
            aria-label={t('tasks.forgetView', { name })}
            onClick={() => keep(saved.filter((view) => view.name !== name))}
          >
            ×
          </Button>
        </span>
      ))}
      {!known && saved.length < MOST_VIEWS && (
        <SaveView save={(name) => keep([...saved.filter((view) => view.name !== name), { name, search: now }])} />
      )}
    </nav>
  );
}

/** The view without the page of it and what is glanced at. */
const textOf = (search: TaskSearch): string => stringifySearch({ ...search, after: undefined, peek: undefined });

function ViewButton({ on, open, children }: { on: boolean; open: () => void; children: React.ReactNode }) {
  return (
    <button type="button" className="chip" aria-pressed={on} onClick={open}>
      {children}
    </button>
  );
}

function SaveView({ save }: { save: (name: string) => void }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      destroyOnHidden
      content={
        <Input.Search
          autoFocus
          maxLength={NAME_LENGTH}
          aria-label={t('tasks.viewName')}
          placeholder={t('tasks.viewName')}
          enterButton={t('tasks.saveView')}
          onSearch={(text) => {
            const name = text.trim();
            if (name === '') return;
            setOpen(false);
            save(name);
          }}
        />
      }
    >
      <Button size="small" type="dashed">
        {t('tasks.saveView')}…
      </Button>
    </Popover>
  );
}
