import type { TaskState } from '@evenkeel/sdk/contract';
import { Link } from '@tanstack/react-router';
import { useT } from '../lib/i18n';
import { usePreferences } from '../lib/preferences';
import { durationText, instantText } from '../lib/times';
import { FAMILY_OF } from './state-tag';
import './chart.css';

export interface Outcome {
  id: string;
  state: TaskState;
  at: string;
  runMs: number | null;
}

/** The latest tasks, oldest left. Heights and outlines tell them apart without colour. */
export function OutcomeStrip({ outcomes }: { outcomes: readonly Outcome[] }) {
  const t = useT();
  const { zone } = usePreferences();
  if (outcomes.length === 0) return <span className="secondary">–</span>;
  return (
    <span className="strip">
      {[...outcomes].reverse().map(({ id, state, at, runMs }) => {
        const parts = [t(`state.${state}`), instantText(Date.parse(at), zone), runMs === null ? '' : durationText(runMs, t)];
        const title = parts.filter(Boolean).join(' · ');
        const family = FAMILY_OF[state];
        return (
          <Link
            key={id}
            to="/tasks/$taskId"
            params={{ taskId: id }}
            className={`state-${family}`}
            data-family={family}
            title={title}
            aria-label={title}
          />
        );
      })}
    </span>
  );
}
