import { type FireRecord, gapOf, type Standing } from '../../src/decisions/fire-gaps.js';

const LATE = 5_000;
const base: FireRecord = { standing: 'active', changes: [], changesKnownFrom: 0, tasksKeptFrom: 0, made: [], tooOld: [] };
const gap = (at: number, more: Partial<FireRecord> = {}, misfire: 'fire_once' | 'skip' | 'fire_all' = 'fire_once') =>
  gapOf(at, misfire, { ...base, ...more }, LATE);
const change = (at: number, before: Standing | null, after: Standing) => ({ at, before, after });

describe('why a fire has no task', () => {
  it('tells a pause from a fire that is missing, whoever paused and however often', () => {
    const changes = [change(100, 'active', 'paused'), change(200, 'paused', 'active'), change(300, 'active', 'paused')];
    const at = (instant: number) => gap(instant, { changes, standing: 'paused' });
    expect([50, 99, 100, 199, 200, 299, 300, 999].map(at)).toEqual([
      'missing',
      'missing',
      'paused',
      'paused',
      'missing',
      'missing',
      'paused',
      'paused',
    ]);
  });

  it('tells that the job was switched off, and that an edit while it was paused did not resume it', () => {
    const changes = [change(100, 'active', 'disabled'), change(150, 'disabled', 'disabled'), change(200, 'disabled', 'active')];
    expect(gap(160, { changes })).toBe('disabled');
    expect(gap(250, { changes })).toBe('missing');
  });

  it('knows nothing where the log or the tasks are not kept, or contradict themselves', () => {
    expect(gap(99, { changesKnownFrom: 100 })).toBe('unknown');
    expect(gap(100, { changesKnownFrom: 100 })).toBe('missing');
    expect(gap(99, { tasksKeptFrom: 100, standing: 'paused' })).toBe('unknown');
    // Paused again in between by what left no entry.
    const changes = [change(100, 'paused', 'active'), change(200, 'paused', 'active')];
    expect([50, 150, 250].map((at) => gap(at, { changes }))).toEqual(['paused', 'unknown', 'missing']);
    expect(gap(250, { changes, standing: 'paused' })).toBe('unknown');
    expect(gap(50, { changes: [change(100, null, 'active')] })).toBe('unknown');
  });

  it('calls missed what a task or the misfire rule tells of, and only that', () => {
    expect(gap(150, { tooOld: [{ first: 100, last: 200 }] })).toBe('missed');
    expect(gap(201, { tooOld: [{ first: 100, last: 200 }] })).toBe('missing');
    expect(gap(100, {}, 'skip')).toBe('missed');
    const late = [{ fireAt: 200, madeAt: 200 + LATE + 1 }];
    expect(gap(100, { made: late })).toBe('missed');
    expect(gap(100, { made: late }, 'fire_all')).toBe('missing');
    expect(gap(100, { made: [{ fireAt: 150, madeAt: 151 }, ...late] })).toBe('missing');
    expect(gap(300, { made: late })).toBe('missing');
  });
});
