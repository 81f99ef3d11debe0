import { TASK_STATES, type TaskState } from '../../../../sdk/src/contract/task-states';
import type { TaskCounts } from '../../../../src/admin/contract/tasks.js';
import { FAMILY_OF, StateIcon } from '../../components/state-tag';
import { useT } from '../../lib/i18n';
import './tasks.css';

/** States as a filter over the same list, each with how many the other filters leave. */
export function StateChips({
  counts,
  chosen,
  onChange,
}: {
  counts: TaskCounts | undefined;
  chosen: TaskState[] | undefined;
  onChange: (states: TaskState[] | undefined) => void;
}) {
  const t = useT();
  const on = new Set(chosen);
  const toggle = (state: TaskState) => {
    const next = TASK_STATES.filter((each) => (each === state ? !on.has(each) : on.has(each)));
    onChange(next.length === 0 ? undefined : [...next]);
  };
  return (
    <fieldset className="chips">
      <legend className="visually-hidden">{t('tasks.states')}</legend>
      <button type="button" className="chip" aria-pressed={on.size === 0} onClick={() => onChange(undefined)}>
        {t('tasks.all')}
      </button>
      {TASK_STATES.map((state) => (
        <button
          key={state}
          type="button"
          className={`chip state-${FAMILY_OF[state]}`}
          aria-pressed={on.has(state)}
          onClick={() => toggle(state)}
        >
          <StateIcon family={FAMILY_OF[state]} />
          {t(`state.${state}`)}
          <span className="mono">{counts ? `${counts.states[state] ?? 0}${counts.capped ? '+' : ''}` : '…'}</span>
        </button>
      ))}
    </fieldset>
  );
}
