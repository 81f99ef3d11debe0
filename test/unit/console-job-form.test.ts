import { definitionOf, EMPTY_FORM, formOf, type JobForm } from '../../console/src/features/jobs/job-form.js';
import { checkNewJob } from '../../src/decisions/check-job.js';
import { definitionView, type JobDefinitionView } from '../../src/decisions/stated-job.js';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const named = { key: 'k', group: 'g' };

/** What is stored of a job stated so. */
function stored(definition: object): JobDefinitionView {
  const { paramsText = 'null', ...stated } = definition as { paramsText?: string };
  const body = { timeZone: 'UTC', ...stated, key: 'k', params: JSON.parse(paramsText) };
  const verdict = checkNewJob(body, { nowMs, paramsText });
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.errors));
  return definitionView(verdict.definition);
}
const saved = (form: JobForm) => stored(definitionOf(form));

describe('the form of the job editor', () => {
  const plain = { handler: 'report', schedule: { kind: 'manual' } };
  const cron = { kind: 'cron', expression: '30 2 * * MON', timeZone: 'Europe/Berlin', dst: { gap: 'skip', overlap: 'twice' } };
  const times = { startAt: '2026-02-01T00:00:00.000Z', endAt: '2027-02-01T00:00:00.000Z', jitterMs: 1_500 };

  it.each([
    plain,
    { ...plain, schedule: { ...cron, ...times } },
    { ...plain, schedule: { kind: 'every', everyMs: 1_500, anchorAt: '2026-01-01T00:00:00.250Z', ...times } },
    { ...plain, schedule: { kind: 'after', delayMs: 0, ...times } },
    { ...plain, schedule: { kind: 'once', at: '2026-03-01T00:00:00.001Z' } },
    { ...plain, schedule: { kind: 'event', name: 'order.paid', ...times } },
    { ...plain, schedule: { kind: 'upstream', ...times }, upstreams: ['a', 'b'] },
    { ...plain, schedule: cron, upstreams: ['a'], shards: 4, onShardFailure: 'stop' },
    { ...plain, shards: 'broadcast', workerTags: ['gpu'], workerZone: 'eu', preferZone: 'eu' },
    { ...plain, routing: 'consistent_hash', routingKey: 'tenant', callbackUrl: 'https://partner.example/cb' },
    { ...plain, metadata: { a: 'b' }, owner: 'ann', tags: ['x'], description: 'why', paramsText: '{"n":12345678901234567890}' },
    { ...plain, priority: 9, timeoutMs: 1_500, repeatable: false, overlap: 'allow', maxParallel: 7 },
    { ...plain, timeoutMs: 0, repeatable: true, misfire: 'fire_all', misfireWindowMs: 1_500 },
    { ...plain, retry: { kind: 'exponential', maxRetries: 2, delayMs: 1_500, factor: 3, maxDelayMs: 9_000, jitter: 0.5 } },
    { ...plain, retry: { kind: 'fixed', maxRetries: 2, delayMs: 0 } },
    { ...plain, retry: { kind: 'list', delaysMs: [1_500, 30_000] } },
    { ...plain, retry: { kind: 'none' } },
  ])('gives back what it was given, what it has no field for included, as it is stored: %j', (stated) => {
    const definition = stored(stated);
    expect(definitionOf(formOf(definition, named))).toEqual(definition);
    expect(saved(formOf(definition, named))).toEqual(definition);
  });

  it('states nothing of what a group decides until somebody states it', () => {
    const made = saved({ ...EMPTY_FORM, ...named, timeZone: 'UTC', handler: 'report' });
    for (const name of ['priority', 'timeoutMs', 'retry', 'repeatable', 'routing']) expect(made).not.toHaveProperty(name);
  });

  it.each(['event', 'upstream', 'every'] as const)(
    'lets a job of the kind %s become one of any other that is stated by hand',
    (kind) => {
      const schedules = {
        event: { kind, name: 'paid' },
        upstream: { kind },
        every: { kind, everyMs: 60_000, anchorAt: '2026-01-01T00:00:00.000Z' },
      };
      const form = formOf(
        stored({ ...plain, schedule: schedules[kind], ...(kind === 'upstream' ? { upstreams: ['a'] } : {}) }),
        named,
      );
      for (const other of ['cron', 'every', 'after', 'manual'] as const)
        expect(saved({ ...form, kind: other }).schedule.kind).toBe(other);
    },
  );

  it('forgets a window that is cleared, whatever the kind', () => {
    const form = formOf(stored({ ...plain, schedule: { kind: 'event', name: 'paid', ...times } }), named);
    expect(saved({ ...form, startAt: '', endAt: '', jitterSeconds: 0 }).schedule).toEqual({ kind: 'event', name: 'paid' });
  });
});
