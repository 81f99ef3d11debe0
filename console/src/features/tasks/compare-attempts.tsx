import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button, Select } from 'antd';
import type { ReactNode } from 'react';
import type { ConsoleAttempt, TaskDetail, TaskLogs } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { WrittenText } from '../../components/written-text';
import { ansiPieces } from '../../lib/ansi';
import { marksShown } from '../../lib/direction-marks';
import { type Translate, useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

const LINES = 100;
const NAMES = ['A', 'B'] as const;

/** The two attempts of `compare=1,2` in the URL, if the task has both. */
export function comparedOf(
  text: string | undefined,
  attempts: readonly ConsoleAttempt[],
): [ConsoleAttempt, ConsoleAttempt] | null {
  const [a, b] = (text ?? '').split(',').map((number) => attempts.find(({ attempt }) => String(attempt) === number));
  return a && b ? [a, b] : null;
}

/** Two attempts side by side: how each ended, how long it took, what it said last. */
export function CompareAttempts({ task, pair }: { task: TaskDetail; pair: [ConsoleAttempt, ConsoleAttempt] }) {
  const t = useT();
  const code = useCodeText();
  const navigate = useNavigate();
  const go = (compare: string | undefined) => void navigate({ to: '.', search: { tab: 'attempts', compare } as never });
  const numbers = pair.map(({ attempt }) => attempt);
  const logs = useQueries({
    queries: pair.map(({ attempt }) => ({
      queryKey: [`task:${task.id}`, 'logs', { attempt }, 'compare'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<TaskLogs>(`tasks/${segment(task.id)}/logs`, { attempt: String(attempt), tail: 'true', limit: LINES }, signal),
    })),
  });
  const rows: [label: string, cell: (attempt: ConsoleAttempt, side: number) => ReactNode][] = [
    [t('task.state'), ({ outcome }) => code('attempt', outcome)],
    [t('task.worker'), ({ worker }) => <bdi className="mono">{worker ?? '–'}</bdi>],
    [t('task.started'), ({ startedAt }) => <Instant at={startedAt} />],
    [t('task.finished'), ({ endedAt }) => <Instant at={endedAt} />],
    [t('task.duration'), (attempt) => durationOf(attempt, t)],
    [
      t('task.compareError'),
      ({ error }) => error && <WrittenText className="state-failed" text={`${error.name}: ${error.message}`} />,
    ],
    [
      t('task.lateResult'),
      ({ late }) =>
        late && (
          <>
            {code('attempt', late.outcome)} <Instant at={late.at} />
          </>
        ),
    ],
    [t('task.stack'), ({ error }) => error?.stack && <pre className="mono stack-text">{error.stack}</pre>],
    [
      t('task.compareLog', { n: LINES }),
      ({ attempt }, side) => {
        const log = logs[side];
        if (log?.error) return <ErrorPanel error={log.error} onRetry={() => void log.refetch()} />;
        return (
          <>
            <pre className="mono stack-text">{log?.data?.lines.map(({ message }) => plain(message)).join('\n')}</pre>
            <Link to="." search={{ tab: 'logs', attempt: String(attempt) } as never}>
              {t('task.compareLogAll')}
            </Link>
          </>
        );
      },
    ],
  ];
  return (
    <section className="panel stack" aria-label={t('task.compare')}>
      <div className="row">
        {NAMES.map((name, side) => (
          <Select
            key={name}
            aria-label={t('task.compareWith', { side: name })}
            value={numbers[side]}
            options={task.attempts.map(({ attempt }) => ({ value: attempt, label: t('task.attemptN', { n: attempt }) }))}
            onChange={(chosen) => go(numbers.with(side, chosen).join(','))}
          />
        ))}
        <Button onClick={() => go(undefined)}>{t('task.compareClose')}</Button>
      </div>
      <table className="compared">
        <thead>
          <tr>
            <th scope="col">{t('task.compareField')}</th>
            {NAMES.map((name, side) => (
              <th key={name} scope="col">
                {t('task.attemptN', { n: numbers[side] ?? '' })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, cell]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {pair.map((attempt, side) => (
                <td key={NAMES[side]}>{cell(attempt, side) || '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const durationOf = ({ startedAt, endedAt }: ConsoleAttempt, t: Translate): string =>
  startedAt && endedAt ? durationText(Date.parse(endedAt) - Date.parse(startedAt), t) : '–';

const plain = (message: string): string =>
  ansiPieces(message)
    .map(({ text }) => marksShown(text))
    .join('');
