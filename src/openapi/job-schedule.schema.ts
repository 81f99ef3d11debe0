import { SCHEDULE_BOUNDS } from '../decisions/schedule/schedule.js';

const instant = { type: 'string', format: 'date-time' };
const bounded = ({ min, max }: { min: number; max: number }) => ({ type: 'integer', minimum: min, maximum: max });
const limits = { startAt: instant, endAt: instant, jitterMs: bounded(SCHEDULE_BOUNDS.jitterMs) };

const schedule = (kind: string, members: Record<string, object>, required: string[]) => ({
  type: 'object',
  title: kind,
  properties: { kind: { type: 'string', enum: [kind] }, ...members, ...limits },
  required: ['kind', ...required],
  additionalProperties: false,
});

/** The kinds of schedule as JSON Schema, from the same bounds that are checked. */
export const JOB_SCHEDULE_SCHEMAS = [
  schedule(
    'cron',
    {
      expression: { type: 'string', maxLength: SCHEDULE_BOUNDS.expressionLength },
      timeZone: { type: 'string', description: "IANA name. Default: the job's." },
      cronDialect: { type: 'string', enum: ['unix', 'quartz'], default: 'unix' },
      dst: {
        type: 'object',
        properties: {
          gap: { type: 'string', enum: ['first_valid', 'skip'], default: 'first_valid' },
          overlap: { type: 'string', enum: ['once', 'twice'], default: 'once' },
        },
        additionalProperties: false,
      },
    },
    ['expression'],
  ),
  schedule('every', { everyMs: bounded(SCHEDULE_BOUNDS.everyMs), anchorAt: instant }, ['everyMs']),
  schedule('after', { delayMs: bounded(SCHEDULE_BOUNDS.delayMs) }, ['delayMs']),
  schedule('once', { at: instant }, ['at']),
  schedule('event', { name: { type: 'string', minLength: 1, maxLength: SCHEDULE_BOUNDS.eventNameLength } }, ['name']),
  schedule('upstream', {}, []),
  schedule('manual', {}, []),
];
