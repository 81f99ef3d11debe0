import fc from 'fast-check';
import { parseTimeline, TIMELINE_LIMIT, type TimelineStep, timelineText, withStep } from '../../src/decisions/timeline.js';

const step = (
  seq: number,
  from: TimelineStep['from'],
  to: TimelineStep['to'],
  more: Partial<TimelineStep> = {},
): TimelineStep => ({
  seq,
  from,
  to,
  at: 1_000 + seq,
  actor: 'node:n1',
  ...more,
});

/** A task that is claimed and refused over and over. */
function refused(times: number, reason: (i: number) => TimelineStep['reason'] = () => 'busy'): TimelineStep[] {
  let steps = [step(1, null, 'PENDING', { actor: 'app:a' })];
  for (let i = 0; i < times; i++) {
    steps = withStep(steps, step(2 + 2 * i, 'PENDING', 'DISPATCHED', { worker: `w${i}`, attempt: 1 }));
    steps = withStep(steps, step(3 + 2 * i, 'DISPATCHED', 'PENDING', { worker: `w${i}`, attempt: 1, reason: reason(i) }));
  }
  return steps;
}

describe('a timeline', () => {
  it('reads back what was written, also with any text and appended piece by piece', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ at: fc.nat(), actor: fc.string(), worker: fc.option(fc.string({ minLength: 1 }), { nil: undefined }) }),
          { minLength: 1 },
        ),
        (parts) => {
          const steps = parts.map((part, i) =>
            step(
              i + 1,
              i ? 'RUNNING' : null,
              'RUNNING',
              Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)),
            ),
          );
          expect(parseTimeline(steps.map((each) => timelineText([each])).join(','))).toEqual(steps);
        },
      ),
    );
  });

  it('folds a repeated refusal into one entry that tells how often and when last', () => {
    const steps = refused(38);
    expect(steps).toHaveLength(3);
    expect(steps[2]).toMatchObject({ seq: 3, to: 'PENDING', reason: 'busy', count: 38, lastAt: 1_000 + 77, worker: 'w37' });
  });

  it('keeps refusals of different kinds apart', () => {
    expect(refused(4, (i) => (i % 2 ? 'busy' : 'draining'))).toHaveLength(9);
  });

  it('stays bounded with both ends whole and the middle summarised, seq strictly increasing', () => {
    const steps = refused(1_000, (i) => (i % 2 ? 'busy' : 'draining'));
    expect(steps.length).toBeLessThanOrEqual(TIMELINE_LIMIT);
    for (let i = 1; i < steps.length; i++) expect(steps[i]?.seq).toBeGreaterThan(steps[i - 1]?.seq as number);
    expect(steps[0]).toMatchObject({ seq: 1, from: null });
    expect(steps[steps.length - 1]).toMatchObject({ seq: 2_001 });
    const summary = steps.find((each) => each.actor === 'summary');
    expect((summary?.count ?? 0) + steps.length - 1).toBe(2_001);
  });
});
