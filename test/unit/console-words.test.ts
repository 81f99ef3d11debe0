import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BACKFILL_STATES,
  DELIVERY_STATES,
  FIELD_ERROR_CODES,
  JOB_STATES,
  JOB_WARNINGS,
  PROBLEM_CODES,
  REASON_CODES,
  TASK_STATES,
} from '@evenkeel/sdk/contract';
import { TRIGGERS } from '../../src/admin/tasks/task-filters.js';
import { ACTOR_KINDS } from '../../src/decisions/actor-kind.js';
import { CHECKS, explainTask, type TaskFacts } from '../../src/decisions/explain-task.js';
import { NOTE_CODES } from '../../src/decisions/foreign-jobs.js';
import { PERMISSIONS } from '../../src/decisions/permissions.js';
import { settingsReport } from '../../src/platform/config-report.js';

/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { CATALOGUES } = jest.requireActual<{ CATALOGUES: Record<'zh-CN' | 'en', object> }>('../../console/src/i18n/areas');
const { VARIABLES_ZH } = jest.requireActual<{ VARIABLES_ZH: object }>('../../console/src/i18n/variables');

/** What is written into the audit log is named where it is written: `<object>.<what was done>`. */
const DEED = new RegExp(
  `'((?:app|audit|auth|backfill|bulk|deliveries|delivery|endpoint|group|jobs?|key|session|settings|ssrf|tasks?|user|worker)\\.${'[a-z_]*(?:ed|set|held|again|undone)'})'`,
  'g',
);
/** Of the same look, and no deeds: event types of callbacks, and signals. */
const NO_DEEDS = new Set([
  'task.succeeded',
  'task.failed',
  'task.timed_out',
  'task.skipped',
  'settings.changed',
  'jobs.changed',
  'tasks.ended',
]);
const sources = join(__dirname, '..', '..', 'src');
const deeds = (['admin', 'auth', 'callbacks', 'cli', 'dispatch', 'jobs', 'openapi'] as const).flatMap((room) =>
  readdirSync(join(sources, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(sources, room, name), 'utf8').matchAll(DEED)].map(([, deed]) => deed as string))
    .filter((deed) => !NO_DEEDS.has(deed)),
);

const NOW = 1_800_000_000_000;
/** Facts with everything there is. */
const FACTS: TaskFacts = {
  now: NOW,
  state: 'PENDING',
  reason: null,
  dueAt: NOW,
  cancelAsked: false,
  stopOverdue: false,
  attempt: 1,
  retries: 0,
  crashes: 0,
  workerId: null,
  error: null,
  job: { key: 'j', state: 'active', pauseReason: null, overlap: 'skip', going: 0 },
  maintenance: { reason: '', until: null, by: '' },
  hold: { reason: null, until: null },
  quota: { running: 0, maxRunning: 1, ahead: 0 },
  funnel: { online: 0, group: 0, handler: 0, filter: 0, accepting: 0, free: 0 },
  cordoned: [],
  filter: { tags: [], zone: null, worker: null },
  upstreams: { waiting: false, outstanding: 0, failed: 0, waitingFor: [] },
  dispatchRate: 1,
  shards: { total: 0, done: 0, failed: 0, running: 0, pending: 0 },
  refusals: 0,
  lastRefusal: null,
  partition: { no: 0, holder: null, leftMs: 0 },
};

describe.each(['zh-CN', 'en'] as const)('every code the console may be sent has words (%s)', (language) => {
  const missing = (prefix: string, codes: readonly string[]) =>
    codes.filter((code) => !(`${prefix}.${code}` in CATALOGUES[language])).map((code) => `${prefix}.${code}`);

  it.each<[string, readonly string[]]>([
    ['state', TASK_STATES],
    ['reason', REASON_CODES],
    ['problem', PROBLEM_CODES],
    ['fieldError', FIELD_ERROR_CODES],
    ['trigger', TRIGGERS],
    ['check', CHECKS],
    ['jobState', JOB_STATES],
    ['jobWarning', JOB_WARNINGS],
    ['delivery', DELIVERY_STATES],
    ['backfillState', BACKFILL_STATES],
    ['convertNote', NOTE_CODES],
    ['permission', PERMISSIONS],
    ['deed', [...new Set(deeds)]],
    ['actorKind', ACTOR_KINDS],
  ])('%s', (prefix, codes) => {
    expect(codes.length).toBeGreaterThan(0);
    expect(missing(prefix, codes)).toEqual([]);
  });

  it('evidence', () => {
    const states = ['PENDING', 'SUCCEEDED'] as const;
    const names = states.flatMap((state) =>
      explainTask({ ...FACTS, state }).checks.flatMap(({ evidence }) => Object.keys(evidence)),
    );
    expect(missing('evidence', [...new Set(names)])).toEqual([]);
  });
});

it('a length of time stands without a blank before the Chinese word for before, after or within', () => {
  const texts = Object.entries(CATALOGUES['zh-CN']);
  expect(texts.filter(([, text]) => /\} [前后内]/.test(String(text)))).toEqual([]);
});

it('every setting the console shows has a meaning in Chinese, and nothing else has', () => {
  const shown = settingsReport({}).map(({ name }) => name);
  expect(Object.keys(VARIABLES_ZH).sort()).toEqual(shown.sort());
});
