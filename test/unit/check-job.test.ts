import { checkChangedJob, checkNewJob, checkPause, checkTrigger } from '../../src/decisions/check-job.js';
import { storedSchedule } from '../../src/decisions/schedule/stored-schedule.js';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const EVERY = { kind: 'every', everyMs: 1_000 };
const check = (more: object, paramsText?: string) =>
  checkNewJob({ key: 'daily', handler: 'report', schedule: EVERY, ...more }, { nowMs, paramsText });
const refusals = (more: object): string[] => {
  const verdict = check(more);
  return verdict.ok ? [] : verdict.errors.map(({ pointer, code }) => `${pointer} ${code}`);
};
const definition = (more: object = {}, paramsText?: string) => {
  const verdict = check(more, paramsText);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.errors));
  return verdict.definition;
};

describe('a job to be created', () => {
  it('has defaults for everything but key, handler and schedule', () => {
    expect(definition()).toEqual({
      handler: 'report',
      params: 'null',
      schedule: EVERY,
      timeZone: 'UTC',
      policies: {},
      overlap: 'skip',
      maxParallel: 1,
      misfire: 'fire_once',
      misfireWindowMs: 600_000,
      metadata: null,
      callbackUrl: null,
      owner: null,
      tags: [],
      description: null,
    });
  });

  it('keeps what it states', () => {
    const stated = { priority: 9, timeoutMs: 0, retry: { kind: 'none' }, repeatable: false, routing: 'random' };
    expect(definition({ ...stated, tags: ['a', 'b', 'a'] })).toMatchObject({ policies: stated, tags: ['a', 'b'] });
    expect(definition({ params: { id: 1 } }, '{"id":12345678901234567890}').params).toBe('{"id":12345678901234567890}');
  });

  it('lends its time zone to a cron expression without one', () => {
    const cron = { kind: 'cron', expression: '0 8 * * *' };
    expect(definition({ schedule: cron, timeZone: 'Asia/Shanghai' })).toMatchObject({
      timeZone: 'Asia/Shanghai',
      schedule: { timeZone: 'Asia/Shanghai' },
    });
    const own = { ...cron, timeZone: 'Europe/Berlin' };
    expect(definition({ schedule: own, timeZone: 'Asia/Shanghai' }).timeZone).toBe('Europe/Berlin');
    expect(refusals({ schedule: cron })).toEqual(['/schedule/timeZone required']);
    expect(refusals({ schedule: cron, timeZone: 'Mars/Olympus' })).toEqual(['/timeZone unknown_timezone']);
    expect(refusals({ schedule: cron, timeZone: 5 })).toEqual(['/timeZone wrong_type']);
  });

  it.each<[object, string]>([
    [{ key: undefined }, '/key wrong_type'],
    [{ key: 'with blank' }, '/key bad_format'],
    [{ handler: '' }, '/handler bad_format'],
    [{ priority: 11 }, '/priority out_of_range'],
    [{ retry: { kind: 'fixed' } }, '/retry/maxRetries required'],
    [{ overlap: 'never' }, '/overlap not_allowed'],
    [{ maxParallel: 0 }, '/maxParallel out_of_range'],
    [{ misfire: 'fire' }, '/misfire not_allowed'],
    [{ misfireWindowMs: -1 }, '/misfireWindowMs out_of_range'],
    [{ tags: 'a' }, '/tags wrong_type'],
    [{ tags: ['a', 1] }, '/tags/1 wrong_type'],
    [{ timeZone: 'Mars/Olympus' }, '/timeZone unknown_timezone'],
    [{ runAt: '2026-01-01T00:00:00Z' }, '/runAt unknown_field'],
    [{ version: 1 }, '/version unknown_field'],
    [{ schedule: { kind: 'event' } }, '/schedule/name required'],
    [{ schedule: { kind: 'weekly' } }, '/schedule/kind not_allowed'],
    [{ schedule: { kind: 'upstream' } }, '/upstreams required'],
    [{ schedule: { kind: 'upstream' }, upstreams: [] }, '/upstreams required'],
    [{ schedule: { kind: 'manual' }, upstreams: ['a'] }, '/upstreams excluded'],
    [{ schedule: { kind: 'after', delayMs: 1 }, upstreams: ['a'] }, '/upstreams excluded'],
    [{ upstreams: 'a' }, '/upstreams wrong_type'],
    [{ upstreams: ['a', 'with blank'] }, '/upstreams/1 bad_format'],
    [{ upstreams: Array.from({ length: 101 }, (_, i) => `j${i}`) }, '/upstreams too_many'],
    [{ schedule: { kind: 'once', at: '2025-01-01T00:00:00Z' } }, '/schedule/at never_fires'],
    [{ schedule: 'daily' }, '/schedule wrong_type'],
    [{ params: 'x'.repeat(70_000) }, '/params too_large'],
    [{ owner: 'a\u0000' }, '/owner bad_format'],
    [{ tags: ['a', 'b\ud800'] }, '/tags/1 bad_format'],
    [{ description: '\udc00' }, '/description bad_format'],
    [{ schedule: { kind: 'event', name: 'order\u0000paid' } }, '/schedule/name bad_format'],
    [{ schedule: { kind: 'event', name: 'order\ud83d' } }, '/schedule/name bad_format'],
  ])('is refused %j: %s', (more, refusal) => {
    expect(refusals(more)).toContain(refusal);
  });

  it('tells a bad schedule from other bad fields', () => {
    expect(check({ schedule: { kind: 'every', everyMs: 1 } })).toMatchObject({ ok: false, scheduleOnly: true });
    expect(check({ timeZone: 'Mars/Olympus' })).toMatchObject({ ok: false, scheduleOnly: true });
    expect(check({ schedule: { kind: 'every', everyMs: 1 }, priority: 0 })).toMatchObject({ ok: false, scheduleOnly: false });
    expect(checkNewJob({ key: 'a', handler: 'b' }, { nowMs })).toMatchObject({ ok: false, scheduleOnly: false });
    expect(checkNewJob([], { nowMs })).toMatchObject({ ok: false });
  });
});

describe('an edit', () => {
  it('names the version it was made from, and no key or group', () => {
    const body = { handler: 'report', schedule: EVERY };
    expect(checkChangedJob(body, { nowMs })).toMatchObject({ ok: false, errors: [{ pointer: '/version', code: 'required' }] });
    expect(checkChangedJob({ ...body, version: 3 }, { nowMs })).toMatchObject({ ok: true });
    expect(checkChangedJob({ ...body, version: 3, group: 'g' }, { nowMs })).toMatchObject({ ok: false });
  });
});

describe('an edit of a job whose time is over', () => {
  it.each([
    [
      { kind: 'once', at: '2025-12-31T00:00:00Z' },
      { at: '2025-12-31T08:00:00+08:00', kind: 'once' },
    ],
    [{ kind: 'every', everyMs: 1_000, endAt: '2025-01-01T00:00:00Z' }, undefined],
    [{ kind: 'event', name: 'paid', endAt: '2025-01-01T00:00:00Z' }, undefined],
  ])('keeps its schedule %j, and takes no other one that is over', (schedule, again) => {
    const current = storedSchedule(JSON.stringify(schedule));
    const stated = (more: object) => ({
      version: 1,
      handler: 'report',
      description: 'was',
      schedule: again ?? schedule,
      ...more,
    });
    expect(checkChangedJob(stated({}), { nowMs, current })).toMatchObject({ ok: true, definition: { schedule: current } });
    expect(checkChangedJob(stated({}), { nowMs })).toMatchObject({ ok: false, errors: [{ code: 'never_fires' }] });
    const other = stated({ schedule: { kind: 'once', at: '2025-06-01T00:00:00Z' } });
    expect(checkChangedJob(other, { nowMs, current })).toMatchObject({ ok: false, errors: [{ code: 'never_fires' }] });
  });
});

describe('running and pausing', () => {
  it('take what they take and nothing else', () => {
    expect(checkTrigger({ params: [1], force: true, clientRequestId: 'a' })).toEqual([]);
    expect(checkTrigger({ force: 1, handler: 'x' }).map(({ pointer }) => pointer)).toEqual(['/force', '/handler']);
    expect(checkPause({})).toEqual([]);
    expect(checkPause({ reason: 'x'.repeat(256) })).toMatchObject([{ code: 'too_long' }]);
  });
});

describe('a stored schedule', () => {
  it('is read by the rule that admitted it', () => {
    const text = JSON.stringify(definition({ schedule: { kind: 'cron', expression: '@daily', timeZone: 'UTC' } }).schedule);
    expect(storedSchedule(text)).toEqual(JSON.parse(text));
    for (const bad of ['', 'null', '{"kind":"every"}', '{"kind":"cron","expression":"x","timeZone":"UTC"}'])
      expect(() => storedSchedule(bad)).toThrow();
  });
});
