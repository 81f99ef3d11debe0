import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Collapse } from 'antd';
import type { ConsoleAttempt, LateResult, TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { CopyButton } from '../../components/copy-button';
import { Empty } from '../../components/empty';
import { Instant } from '../../components/instant';
import { JsonText } from '../../components/json-text';
import { WrittenText } from '../../components/written-text';
import { marksShown } from '../../lib/direction-marks';
import { useCodeText, useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { durationText } from '../../lib/times';
import { CompareAttempts, comparedOf } from './compare-attempts';
import './tasks.css';

/** Newest first: how each try ended and what it said; two of them side by side if asked for. */
export function Attempts({ task }: { task: TaskDetail }) {
  const t = useT();
  const navigate = useNavigate();
  const pair = comparedOf(one(useSearch({ strict: false }), 'compare'), task.attempts);
  const attempts = [...task.attempts].reverse();
  if (attempts.length === 0) return <Empty text={t('task.noAttempts')} />;
  return (
    <div className="stack">
      {pair && <CompareAttempts task={task} pair={pair} />}
      {!pair && attempts.length > 1 && (
        <Button
          style={{ alignSelf: 'start' }}
          onClick={() => {
            const lastTwo = task.attempts.slice(-2).map(({ attempt }) => attempt);
            void navigate({ to: '.', search: { tab: 'attempts', compare: lastTwo.join(',') } as never });
          }}
        >
          {t('task.compare')}
        </Button>
      )}
      {attempts.map((attempt) => (
        <Attempt key={attempt.attempt} attempt={attempt} />
      ))}
    </div>
  );
}

function Attempt({ attempt }: { attempt: ConsoleAttempt }) {
  const t = useT();
  const code = useCodeText();
  const { error, startedAt, endedAt, late } = attempt;
  return (
    <section className="panel stack" style={{ gap: 4 }}>
      <div className="row">
        <strong>{t('task.attemptN', { n: attempt.attempt })}</strong>
        <span>{code('attempt', attempt.outcome)}</span>
        <bdi className="mono">{attempt.worker ?? ''}</bdi>
        <Instant at={startedAt} />
        {startedAt && endedAt && <span>{durationText(Date.parse(endedAt) - Date.parse(startedAt), t)}</span>}
      </div>
      {error && (
        <>
          <div className="row state-failed attempt-error">
            <strong>
              <WrittenText text={error.name} />
            </strong>
            <WrittenText text={error.message} />
            <CopyButton text={error.stack ?? `${error.name}: ${error.message}`} />
          </div>
          {error.stack && (
            <Collapse
              ghost
              size="small"
              items={[
                {
                  key: 'stack',
                  label: t('task.stack'),
                  children: <pre className="mono stack-text">{marksShown(error.stack)}</pre>,
                },
              ]}
            />
          )}
        </>
      )}
      {late && <Late late={late} />}
    </section>
  );
}

/** It explains why a handler says that it is done and the task does not. */
function Late({ late: { at, outcome, error, resultText } }: { late: LateResult }) {
  const t = useT();
  const code = useCodeText();
  return (
    <>
      <div className="row attempt-error">
        <strong>{t('task.lateResult')}</strong>
        <span>{code('attempt', outcome)}</span>
        <Instant at={at} />
        {error && <WrittenText text={`${error.name}: ${error.message}`} />}
      </div>
      <p className="secondary">{t('task.lateResultMeans')}</p>
      {resultText !== null && <JsonText text={resultText} label={t('task.lateResult')} />}
    </>
  );
}
