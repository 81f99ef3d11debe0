import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Checkbox, Input, Select } from 'antd';
import { useEffect, useRef, useState } from 'react';
import type { TaskDetail, TaskLogLine, TaskLogs as TaskLogsAnswer } from '../../../../src/admin/contract/tasks.js';
import { api, queryText, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { ansiPieces } from '../../lib/ansi';
import { withBase } from '../../lib/base-path';
import { marksEscaped, marksShown } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';
import { one, oneOf } from '../../lib/search';
import { FirstError } from './first-error';
import './tasks.css';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LINES = 500;
const AROUND = 50;
/** So close to the end counts as being there. */
const NEAR_PX = 40;

/** What its attempts said, the newest lines first asked for; everything chosen is in the URL, and a line has one of its own. */
export function TaskLogs({ task }: { task: TaskDetail }) {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const stated = {
    attempt: one(raw, 'attempt'),
    level: oneOf(raw, 'level', LEVELS),
    lq: one(raw, 'lq'),
    lre: oneOf(raw, 'lre', ['1'] as const),
    wrap: oneOf(raw, 'wrap', ['no'] as const),
    line: one(raw, 'line'),
  };
  const [held, setHeld] = useState<TaskLogsAnswer | null>(null);
  const before = one(raw, 'before');
  function go(change: Partial<typeof stated> & { before?: string }) {
    setHeld(null);
    void navigate({ to: '.', search: { ...stated, tab: 'logs', line: undefined, ...change } as never });
  }
  const again = useLookAgain(2_000);
  const place = before === undefined ? (aroundOf(stated.line) ?? { tail: 'true' }) : { before };
  const { attempt, level } = stated;
  const filter = { attempt, level, [stated.lre ? 'pattern' : 'q']: stated.lq };
  const query = useQuery({
    queryKey: [`task:${task.id}`, 'logs', filter, place],
    queryFn: ({ signal }) =>
      api.get<TaskLogsAnswer>(`tasks/${segment(task.id)}/logs`, { ...filter, limit: LINES, ...place }, signal),
    placeholderData: keepPreviousData,
    enabled: held === null,
    // Nothing is missing of a log that is there only because its task has a stream now.
    meta: { dear: true },
    // Lines come without the task changing. Until it has ended and all of them are here there may be more.
    refetchInterval: ({ state }) => (state.data?.nextCursor === null ? false : again),
  });
  const shown = held ?? query.data;
  const lines = shown?.lines;
  const narrowed =
    attempt !== undefined || level !== undefined || stated.lq !== undefined || 'cursor' in place || before !== undefined;
  const none = shown?.before ? 'task.logsNoneYet' : narrowed ? 'task.logsNone' : 'task.logsNothing';
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
          key={stated.lq ?? ''}
          allowClear
          data-filter
          style={{ maxWidth: 280 }}
          aria-label={t('task.logsFind')}
          placeholder={t('task.logsFind')}
          defaultValue={stated.lq}
          onSearch={(value) => go({ lq: value || undefined })}
        />
        <Checkbox checked={stated.lre !== undefined} onChange={({ target }) => go({ lre: target.checked ? '1' : undefined })}>
          {t('task.logsPattern')}
        </Checkbox>
        <Checkbox checked={stated.wrap === undefined} onChange={({ target }) => go({ wrap: target.checked ? undefined : 'no' })}>
          {t('task.logsWrap')}
        </Checkbox>
        {(held !== null || query.data?.nextCursor !== null) && (
          <Button aria-pressed={held !== null} onClick={() => setHeld(held === null ? (query.data ?? null) : null)}>
            {t(held === null ? 'task.logsPause' : 'task.logsFollow')}
          </Button>
        )}
        <Button disabled={!shown?.before} onClick={() => go({ before: shown?.before ?? undefined })}>
          {t('task.logsOlder')}
        </Button>
        <FirstError taskId={task.id} attempt={attempt} found={(line) => go({ line })} />
        <Button href={withBase(`api/tasks/${segment(task.id)}/logs/file${queryText(filter)}`)} download={`${task.id}.log`}>
          {t('task.logsFile')}
        </Button>
        {(before !== undefined || stated.line !== undefined) && <Button onClick={() => go({})}>{t('task.logsNewest')}</Button>}
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {lines?.length === 0 && <Empty text={t(none)} />}
      {lines && lines.length > 0 && <Lines lines={lines} chosen={stated.line} search={stated} wrap={stated.wrap === undefined} />}
    </section>
  );
}

function Lines({
  lines,
  chosen,
  search,
  wrap,
}: {
  lines: readonly TaskLogLine[];
  chosen: string | undefined;
  search: object;
  wrap: boolean;
}) {
  const t = useT();
  const box = useRef<HTMLOListElement>(null);
  /** Whoever has scrolled away from the end reads there: new lines do not take them from it. */
  const atEnd = useRef(true);
  const last = lines.at(-1);
  const end = last && `${last.attempt}.${last.seq}`;
  useEffect(() => {
    const list = box.current;
    if (!list || end === undefined) return;
    const line = list.querySelector('[aria-current]');
    if (line) line.scrollIntoView({ block: 'center' });
    else if (atEnd.current) list.scrollTop = list.scrollHeight;
  }, [end]);
  return (
    <ol
      className="log-lines mono"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('task.logs')}
      data-wrap={wrap}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
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
              {ansiPieces(message).map(({ text, look }, n) => (
                <span key={n} className={look || undefined}>
                  {marksShown(text)}
                </span>
              ))}
              {fields && <span className="secondary"> {marksEscaped(JSON.stringify(fields))}</span>}
            </bdi>
          </li>
        );
      })}
    </ol>
  );
}

/** The lines around one that a link names. */
function aroundOf(line: string | undefined): { cursor: string } | undefined {
  const match = /^(\d{1,5})\.(\d{1,10})$/.exec(line ?? '');
  return match ? { cursor: `${match[1]}.${Math.max(0, Number(match[2]) - AROUND)}` } : undefined;
}
