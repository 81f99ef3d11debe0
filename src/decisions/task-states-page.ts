import { isTerminal, TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { TASK_EVENTS, type TaskEvent, transition } from './task-state.js';

const cell = (state: TaskState, event: TaskEvent): string => {
  const verdict = transition(state, event);
  if ('to' in verdict) return verdict.to === state ? 'stays' : `**${verdict.to}**`;
  return verdict.refused === 'late' ? '·' : '✗';
};

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;

/** docs/task-states.md, drawn from the table itself. */
export function taskStatesPage(): string {
  const arrows = new Set<string>();
  for (const event of TASK_EVENTS)
    for (const state of TASK_STATES) {
      const verdict = transition(state, event);
      if ('to' in verdict && verdict.to !== state) arrows.add(`  ${state} --> ${verdict.to}: ${event}`);
    }
  return [
    '# The states of a task',
    '',
    'Drawn from `src/decisions/task-state.ts` by `npm run generate`; do not edit. `·` is late (the task has moved on, nothing changes), `✗` is',
    'impossible (a bug or a stale row of the caller). Terminal states are left only by a retry: `reopened` and `reopened_to_wait`, and `rearmed` for what was',
    'skipped because of the task that is retried.',
    '',
    row(['event', ...TASK_STATES.map((state) => (isTerminal(state) ? `*${state}*` : state))]),
    row(['---', ...TASK_STATES.map(() => '---')]),
    ...TASK_EVENTS.map((event) => row([`\`${event}\``, ...TASK_STATES.map((state) => cell(state, event))])),
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> SCHEDULED: submit, later',
    '  [*] --> PENDING: submit, now',
    ...arrows,
    '```',
    '',
  ].join('\n');
}
