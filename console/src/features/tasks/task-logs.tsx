import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Input, Select } from 'antd';
import { useEffect, useRef } from 'react';
import type { TaskDetail, TaskLogLine, TaskLogs as TaskLogsAnswer } from '../../../../src/admin/contract/tasks.js';
import { api, queryText, segment } from '../../api/client';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { one, oneOf } from '../../lib/search';
import { FirstError } from './first-error';
import './tasks.css';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LINES = 500;
const AROUND = 50;

/** What its attempts said, the newest lines first asked for; everything chosen is in the URL, and a line has one of its own. */
export function TaskLogs({ task }: { task: TaskDetail }) {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const stated = { attempt: one(raw, 'attempt'), level: oneOf(raw, 'level', LEVELS), lq: one(raw, 'lq'), line: one(raw, 'line') };
  const before = one(raw, 'before');
  const go = (change: Partial<typeof stated> & { before?: string }) =>
    void navigate({ to: '.', search: { ...stated, tab: 'logs', line: undefined, ...change } as never });
  const place = before === undefined ? (aroundOf(stated.line) ?? { tail: 'true' }) : { before };
  const { attempt, level, lq: q } = stated;
  const query = useQuery({
    queryKey: [`task:${task.id}`, 'logs', attempt, level, q, place],
    queryFn: ({ signal }) =>
      api.get<TaskLogsAnswer>(`tasks/${segment(task.id)}/logs`, { attempt, level, q, limit: LINES, ...place }, signal),
    placeholderData: keepPreviousData,
  });
  const lines = query.data?.lines;
  return (
    <section className="stack" aria-label={t('task.logs')}>
      <div className="row">
        <Select
          aria-label={t('task.logsAttempt')}
          value={attempt ?? ''}
          options={[
            { value: '', label: `${t('task.logsAttempt')}: ${t('task.logsAll')}` },
            ...task.attempts.map((each) => ({ value: String(each.attempt), label: t('task.attemptN', { n: each.attempt }) })),
          ]}
          onChange={(value) => go({ attempt: value || undefined })}
        />
        <Select<'' | (typeof LEVELS)[number]>
          aria-label={t('task.logsLevel')}
          value={level ?? ''}
          options={[
            { value: '', label: `${t('task.logsLevel')}: ${t('task.logsAll')}` },
            ...LEVELS.map((value) => ({ value, label: value })),
          ]}
          onChange={(value) => go({ level: value === '' ? undefined : value })}
        />
        <Input.Search
          key={q ?? ''}
          allowClear
          data-filter
          style={{ maxWidth: 280 }}
          aria-label={t('task.logsFind')}
          placeholder={t('task.logsFind')}
          defaultValue={q}
          onSearch={(value) => go({ lq: value || undefined })}
        />
        <Button disabled={!query.data?.before} onClick={() => go({ before: query.data?.before ?? undefined })}>
          {t('task.logsOlder')}
        </Button>
        <FirstError taskId={task.id} attempt={attempt} found={(line) => go({ line })} />
        <Button
          href={withBase(`api/tasks/${segment(task.id)}/logs/file${queryText({ attempt, level, q })}`)}
          download={`${task.id}.log`}
        >
          {t('task.logsFile')}
        </Button>
        {(before !== undefined || stated.line !== undefined) && <Button onClick={() => go({})}>{t('task.logsNewest')}</Button>}
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {lines?.length === 0 && <Empty text={t('task.logsNone')} />}
      {lines && lines.length > 0 && <Lines lines={lines} chosen={stated.line} search={stated} />}
    </section>
  );
}

function Lines({ lines, chosen, search }: { lines: readonly TaskLogLine[]; chosen: string | undefined; search: object }) {
  const t = useT();
  const box = useRef<HTMLOListElement>(null);
  const last = lines.at(-1);
  const end = last && `${last.attempt}.${last.seq}`;
  useEffect(() => {
    const list = box.current;
    if (!list || end === undefined) return;
    const line = list.querySelector('[aria-current]');
    if (line) line.scrollIntoView({ block: 'center' });
    else list.scrollTop = list.scrollHeight;
  }, [end]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <ol className="log-lines mono" ref={box} tabIndex={0} aria-label={t('task.logs')}>
      {lines.map(({ attempt, seq, at, level, message, fields }) => {
        const id = `${attempt}.${seq}`;
        return (
          <li key={id} data-level={level} aria-current={id === chosen ? 'true' : undefined}>
            <Link
              to="."
              search={{ ...search, tab: 'logs', line: id } as never}
              aria-label={t('task.logsLine', { attempt, seq })}
              className="secondary"
            >
              {id}
            </Link>
            <Instant at={at} />
            <span className={level === 'error' ? 'state-failed' : level === 'warn' ? 'state-late' : 'secondary'}>{level}</span>
            <bdi className="log-text">
              {plain(message)}
              {fields && <span className="secondary"> {JSON.stringify(fields)}</span>}
            </bdi>
          </li>
        );
      })}
    </ol>
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with one
const ANSI = /\u001B\[[0-9;]*[A-Za-z]/g;
const plain = (text: string): string => text.replace(ANSI, '');

/** The lines around one that a link names. */
function aroundOf(line: string | undefined): { cursor: string } | undefined {
  const match = /^(\d{1,5})\.(\d{1,10})$/.exec(line ?? '');
  return match ? { cursor: `${match[1]}.${Math.max(0, Number(match[2]) - AROUND)}` } : undefined;
}
