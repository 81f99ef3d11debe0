import {
  type Difference,
  differencesOf,
  mergedDefinition,
  type Side,
} from '../../console/src/features/jobs/merge-definitions.js';
import type { JobDefinitionView } from '../../src/decisions/stated-job.js';

const cron = { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC', dst: { gap: 'first_valid', overlap: 'once' } } as const;
const BASE: JobDefinitionView = {
  handler: 'report',
  paramsText: '{"n":1}',
  schedule: cron,
  timeZone: 'UTC',
  overlap: 'skip',
  priority: 9,
  tags: ['x'],
};
const edited = (part: Partial<JobDefinitionView>): JobDefinitionView => ({ ...BASE, ...part });
const changers = (differences: Difference[]) => Object.fromEntries(differences.map(({ name, changedBy }) => [name, changedBy]));
/** What nobody has to choose, and the given side of the others. */
const merged = (base: JobDefinitionView | null, theirs: JobDefinitionView, yours: JobDefinitionView, other: Side = 'yours') =>
  mergedDefinition(theirs, differencesOf(base, theirs, yours), ({ changedBy }) =>
    changedBy === 'theirs' || changedBy === 'yours' ? changedBy : other,
  );

describe('two edits of one version of a job', () => {
  it('are both in what is merged when they touch different members, those that were added or taken away too', () => {
    const { priority: _, ...without } = BASE;
    const theirs = { ...without, tags: ['x', 'y'] };
    const yours = edited({ description: 'why', paramsText: '{"n":2}' });
    expect(changers(differencesOf(BASE, theirs, yours))).toEqual({
      priority: 'theirs',
      tags: 'theirs',
      description: 'yours',
      paramsText: 'yours',
    });
    const { timeZone: __, ...zoneless } = cron;
    expect(merged(BASE, theirs, yours)).toEqual({ ...theirs, schedule: zoneless, description: 'why', paramsText: '{"n":2}' });
  });

  it('differ in nothing that neither changed, whatever the order of members, nor in what both changed alike', () => {
    const turned = {
      ...BASE,
      schedule: { ...cron, dst: { overlap: 'once', gap: 'first_valid' } } as const,
      overlap: 'allow' as const,
    };
    expect(differencesOf(BASE, turned, edited({ overlap: 'allow' }))).toEqual([]);
    expect(merged(BASE, turned, edited({ overlap: 'allow' }))).toMatchObject({ overlap: 'allow', timeZone: 'UTC' });
  });

  it.each(['theirs', 'yours'] as const)('leave what both changed to the person, who takes %s', (side) => {
    const [theirs, yours] = [edited({ priority: 3 }), edited({ priority: 5 })];
    expect(differencesOf(BASE, theirs, yours)).toEqual([{ name: 'priority', base: 9, theirs: 3, yours: 5, changedBy: 'both' }]);
    expect(merged(BASE, theirs, yours, side).priority).toBe(side === 'theirs' ? 3 : 5);
  });

  it('of a schedule of one kind are merged member by member, and its zone is that of the job', () => {
    const theirs = edited({ schedule: { ...cron, expression: '0 4 * * *' } });
    const yours = edited({ schedule: { ...cron, timeZone: 'Asia/Shanghai', jitterMs: 60_000 }, timeZone: 'Asia/Shanghai' });
    expect(changers(differencesOf(BASE, theirs, yours))).toEqual({
      'schedule.expression': 'theirs',
      'schedule.jitterMs': 'yours',
      timeZone: 'yours',
    });
    expect(merged(BASE, theirs, yours)).toMatchObject({
      timeZone: 'Asia/Shanghai',
      schedule: { kind: 'cron', expression: '0 4 * * *', dst: cron.dst, jitterMs: 60_000 },
    });
  });

  it.each(['theirs', 'yours'] as const)(
    'of which one gives it another kind are merged with the whole schedule of one: %s',
    (side) => {
      const theirs = edited({ schedule: { kind: 'every', everyMs: 60_000 } });
      const yours = edited({ schedule: { ...cron, jitterMs: 1_000 }, owner: 'ann' });
      expect(changers(differencesOf(BASE, theirs, yours))).toEqual({ schedule: 'both', owner: 'yours' });
      const { schedule, owner } = merged(BASE, theirs, yours, side);
      expect(owner).toBe('ann');
      expect(schedule).toEqual(
        side === 'theirs' ? theirs.schedule : { kind: 'cron', expression: '0 3 * * *', dst: cron.dst, jitterMs: 1_000 },
      );
    },
  );

  it('leave all that differs to the person when what they were made from is not kept', () => {
    const differences = differencesOf(null, edited({ priority: 3 }), edited({ owner: 'ann' }));
    expect(changers(differences)).toEqual({ priority: 'unknown', owner: 'unknown' });
  });
});
