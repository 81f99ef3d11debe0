import { useQuery } from '@tanstack/react-query';
import { Collapse } from 'antd';
import type { ExplainCheck, TaskDetail, TaskExplanation } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ErrorPanel } from '../../components/error-panel';
import { marksShown } from '../../lib/direction-marks';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { durationText, instantText } from '../../lib/times';
import { hasEnded } from './task-deeds';
import './tasks.css';

const MARKS = { passed: '✓', blocks: '✗', unknown: '?', not_applicable: '–' } as const;

/** Why it is as it is: the scheduler's own checks in their order, each with what it is based on. Open when there is something to explain. */
export function ExplainBox({ task }: { task: TaskDetail }) {
  const t = useT();
  const code = useCodeText();
  const quiet = task.state === 'SUCCEEDED' || task.state === 'RUNNING';
  // Quotas fill and workers leave without a change of the task itself.
  const again = useLookAgain();
  const query = useQuery({
    queryKey: [`task:${task.id}`, 'explain', task.version],
    queryFn: ({ signal }) => api.get<TaskExplanation>(`tasks/${segment(task.id)}/explain`, undefined, signal),
    placeholderData: (before) => before,
    refetchInterval: hasEnded(task) ? false : again,
  });
  const explanation = query.data;
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!explanation) return null;
  const { verdict, checks, funnel } = explanation;
  const why = verdict.reason ? code('reason', verdict.reason) : '';
  const tone = verdict.kind === 'needs_you' ? 'state-failed' : verdict.kind === 'resolves_itself' ? 'state-late' : 'secondary';
  return (
    <Collapse
      defaultActiveKey={quiet ? [] : ['why']}
      items={[
        {
          key: 'why',
          label: (
            <span>
              <strong className={tone}>{t(`explain.${verdict.kind}`)}</strong> {why}
            </span>
          ),
          children: (
            <div className="stack">
              <ol className="checks">
                {checks.map((check) => (
                  <li key={check.check} data-result={check.result}>
                    <span aria-hidden="true">{MARKS[check.result]}</span>
                    <span className="visually-hidden">{t(`explain.result.${check.result}`)}</span>
                    <strong>{code('check', check.check)}</strong>
                    {check.reason && <span>{code('reason', check.reason)}</span>}
                    <Evidence check={check} />
                  </li>
                ))}
              </ol>
              <span className="secondary">{t('explain.funnel', { ...funnel })}</span>
            </div>
          ),
        },
      ]}
    />
  );
}

/** Words for the values of evidence that are codes themselves. */
const VALUES: Record<string, readonly string[]> = {
  state: ['state', 'jobState'],
  overlap: ['overlap'],
  reason: ['reason'],
  lastRefusal: ['reason'],
};

function Evidence({ check }: { check: ExplainCheck }) {
  const t = useT();
  const { zone } = usePreferences();
  const code = useCodeText();
  const parts = Object.entries(check.evidence).filter(
    // Nothing is left to wait for: then only since when is told. And the reason stands in front of it already.
    ([name, value]) =>
      value !== null && `${value}` !== '' && !(name === 'inMs' && value === 0) && !(name === 'reason' && value === check.reason),
  );
  if (parts.length === 0) return null;
  const shown = (name: string, value: ExplainCheck['evidence'][string]): string => {
    if (Array.isArray(value)) return value.join(', ');
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return instantText(Date.parse(value), zone);
    if (typeof value === 'number' && name.endsWith('Ms')) return durationText(value, t);
    const words = [...(VALUES[name] ?? []), 'evidenceValue'].map((prefix) => code(prefix, String(value)));
    return words.find((word) => word !== String(value)) ?? String(value);
  };
  return (
    <span className="secondary">
      {parts.map(([name, value]) => `${code('evidence', name)} ${marksShown(shown(name, value))}`).join(' · ')}
    </span>
  );
}
