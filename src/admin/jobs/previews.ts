import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { anyText, integer, type Rule, rules } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { checkSchedule, type ScheduleNote } from '../../decisions/schedule/check-schedule.js';
import { previewFires } from '../../decisions/schedule/next-fire.js';
import type { Schedule } from '../../decisions/schedule/schedule.js';
import { knownTimeZone } from '../../decisions/schedule/time-zone.js';
import { Clock } from '../../platform/clock.js';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { SqlDialect } from '../../ports.js';
import type { PreviewSchedule, SchedulePreview } from '../contract/jobs.js';
import { bodyOf } from '../request-parts.js';
import { ConsoleJobStore } from './console-job.store.js';
import { previewOf } from './schedule-preview.js';

const anything: Rule = () => {};
const PREVIEW = rules({ schedule: anything, timeZone: anyText(64), count: integer(1, 100), job: anyText(31) });
const MOST_CLASHES = 1_000;

/** What a schedule means, by the very function that fires jobs. */
@Injectable()
export class Previews {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: ConsoleJobStore,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Of a schedule that is not saved. Throws AppError with every rule it breaks. */
  async unsaved(request: ConsoleRequest): Promise<SchedulePreview> {
    const { schedule, timeZone, count = 10, job } = bodyOf<PreviewSchedule>(request, PREVIEW, ['schedule']);
    const nowMs = Math.floor(this.clock.now());
    const zone = timeZone === undefined ? this.config.defaultTimezone : knownTimeZone(timeZone);
    if (zone === null) throw AppError.fields([{ pointer: '/timeZone', code: 'unknown_timezone', ...said('time_zone') }]);
    const verdict = checkSchedule(schedule, { pointer: '/schedule', defaultTimeZone: zone, nowMs });
    if (!verdict.ok) throw AppError.fields(verdict.errors);
    const shownIn = verdict.schedule.kind === 'cron' ? verdict.schedule.timeZone : zone;
    const fires = previewFires(verdict.schedule, nowMs, count);
    return this.of(verdict.schedule, shownIn, fires, { asked: count, notes: verdict.notes, job });
  }

  async of(
    schedule: Schedule,
    timeZone: string,
    fires: readonly number[],
    { asked, notes = [], job }: { asked: number; notes?: readonly ScheduleNote[]; job?: string },
  ): Promise<SchedulePreview> {
    const first = fires[0];
    const second = first === undefined ? null : first - (first % 1_000);
    const clashes =
      second === null ? 0 : await this.store.countFiring(this.dialect.root, null, second, second + 1_000, MOST_CLASHES, job);
    return previewOf(schedule, timeZone, fires, asked, notes, clashes);
  }
}
