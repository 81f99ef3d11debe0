import { isTerminal, TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import { TASK_EVENTS, type TaskEvent, transition } from '../../src/decisions/task-state.js';

/**
 * The whole table, cell by cell, written a second time by hand. Columns: Scheduled bLocked Pending Dispatched Running rEtrying
 * Succeeded Failed Timed_out Cancelled sKipped. A letter is the state the task moves to, `.` is late, `!` is impossible.
 */
const COLUMNS: TaskState[] = [...TASK_STATES];
const LETTERS: Record<string, TaskState> = {
  S: 'SCHEDULED',
  L: 'BLOCKED',
  P: 'PENDING',
  D: 'DISPATCHED',
  R: 'RUNNING',
  E: 'RETRYING',
  U: 'SUCCEEDED',
  F: 'FAILED',
  T: 'TIMED_OUT',
  C: 'CANCELLED',
  K: 'SKIPPED',
};
const TRUTH: Record<TaskEvent, string> = {
  //                S L P D R E U F T C K
  due: /*        */ 'P!...P.....',
  unblocked: /*  */ '.P.........',
  unblocked_early: '.S.........',
  upstream_failed: '!K!!!!.....',
  skipped: /*    */ 'KKK!!!.....',
  split: /*      */ '!!R!.!.....',
  claimed: /*    */ '!!D..!.....',
  refused: /*    */ '...P.......',
  accepted: /*   */ '...R.......',
  succeeded: /*  */ '...UU......',
  attempt_failed: '...EE......',
  failed: /*     */ '...FF......',
  timed_out: /*  */ '...TT......',
  returned: /*   */ '...PP......',
  stopped: /*    */ '...CC......',
  cancel_requested: '!!!DR!.....',
  cancelled: /*  */ 'CCC!!C.....',
  reopened: /*   */ '......!PPP!',
  reopened_to_wait: '......!LLL!',
  rearmed: /*    */ '......!!!!L',
};

describe('the state table', () => {
  const cells = TASK_EVENTS.flatMap((event) =>
    COLUMNS.map((state, column) => ({ event, state, letter: TRUTH[event][column] as string })),
  );

  it.each(cells)('$event in $state gives $letter', ({ event, state, letter }) => {
    const expected = letter === '.' ? { refused: 'late' } : letter === '!' ? { refused: 'impossible' } : { to: LETTERS[letter] };
    expect(transition(state, event)).toEqual(expected);
  });

  it('covers every event', () => {
    expect(Object.keys(TRUTH).sort()).toEqual([...TASK_EVENTS].sort());
    for (const row of Object.values(TRUTH)) expect(row).toHaveLength(TASK_STATES.length);
  });

  it('leaves a terminal state only by a retry', () => {
    for (const state of TASK_STATES.filter(isTerminal))
      for (const event of TASK_EVENTS.filter((each) => !['reopened', 'reopened_to_wait', 'rearmed'].includes(each)))
        expect(transition(state, event)).toHaveProperty('refused');
  });

  it('runs a task only from PENDING over DISPATCHED, or divided into shards', () => {
    for (const state of TASK_STATES)
      for (const event of TASK_EVENTS.filter((each) => each !== 'split')) {
        const verdict = transition(state, event);
        if ('to' in verdict && verdict.to === 'DISPATCHED') expect(['PENDING', 'DISPATCHED']).toContain(state);
        if ('to' in verdict && verdict.to === 'RUNNING') expect(['DISPATCHED', 'RUNNING']).toContain(state);
      }
  });
});
