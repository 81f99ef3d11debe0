import type { TaskState } from '@evenkeel/sdk/contract';
import { memo, type ReactElement } from 'react';
import { useT } from '../lib/i18n';
import './state-tag.css';

/** What a state looks like: shape and words differ, colour only helps. */
export type StateFamily = 'waiting' | 'running' | 'succeeded' | 'failed' | 'late' | 'skipped' | 'cancelled';

export const FAMILY_OF: Record<TaskState, StateFamily> = {
  SCHEDULED: 'waiting',
  BLOCKED: 'waiting',
  PENDING: 'waiting',
  RETRYING: 'waiting',
  DISPATCHED: 'running',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
  SKIPPED: 'skipped',
};

const SHAPES: Record<StateFamily, ReactElement> = {
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M8 4.5V8l2.5 1.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" opacity="0.45" />
      <path className="state-arc" d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" />
    </>
  ),
  succeeded: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M4.7 8.2l2.3 2.3 4.3-4.6" fill="none" stroke="var(--surface)" strokeWidth="1.6" />
    </>
  ),
  failed: (
    <>
      <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" fill="currentColor" />
      <path d="M5.5 5.5l5 5m0-5l-5 5" stroke="var(--surface)" strokeWidth="1.6" />
    </>
  ),
  late: (
    <>
      <path d="M8 1.5l7 13H1z" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M8 6v4m0 1.2v1.4" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
  skipped: <path d="M2 4l4.5 4L2 12zm6 0l4.5 4L8 12zM13 4h1.5v8H13z" fill="currentColor" />,
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M4 12L12 4" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
};

/** It ran at that time, and does so no more: nothing turns. */
const RAN = (
  <>
    <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
    <path d="M6.2 5v6l5-3z" fill="currentColor" />
  </>
);

/** Stopped by a person: told from what was skipped by its shape. */
const HALTED = <path d="M4 3h3v10H4zm5 0h3v10H9z" fill="currentColor" />;

interface StateIconProps {
  family: StateFamily;
  halted?: boolean;
  past?: boolean;
}

export function StateIcon({ family, halted = false, past = false }: StateIconProps) {
  return (
    <svg className={`state-icon state-${family}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {halted ? HALTED : past && family === 'running' ? RAN : SHAPES[family]}
    </svg>
  );
}

interface StateTagProps {
  state: TaskState;
  /** Overlays a state that has not begun. */
  late?: boolean;
  /** The task was in it once, and is no more. */
  past?: boolean;
}

/** The one badge of a task's state. */
export const StateTag = memo(function StateTag({ state, late = false, past = false }: StateTagProps) {
  const t = useT();
  return (
    <span className={`state-tag state-${FAMILY_OF[state]}`}>
      <StateIcon family={FAMILY_OF[state]} past={past} />
      <span>{t(`state.${state}`)}</span>
      {late && (
        <span className="state-tag state-late">
          <StateIcon family="late" />
          <span>{t('state.late')}</span>
        </span>
      )}
    </span>
  );
});
