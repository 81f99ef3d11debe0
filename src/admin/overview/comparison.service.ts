import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { OverviewComparison } from '../contract/overview.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { iso, many, queryOf, shortText } from '../request-parts.js';
import { MINUTE, TEN_MINUTES } from '../rollups/rollup.js';
import { type RollupRow, TaskRollupStore } from '../rollups/task-rollup.store.js';
import { hourFigures, regressionsOf, sumOf, worstFirst } from './comparison.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Whether the last hour was like others: from the figures that charts are drawn from, of every node. */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskRollupStore,
    private readonly jobs: ConsoleJobsService,
    private readonly groups: GroupsService,
    private readonly clock: Clock,
  ) {}

  async comparison(request: ConsoleRequest): Promise<OverviewComparison> {
    const { group } = queryOf(request, { group: many(shortText(64)) });
    const groupIds = this.jobs.groupIds(request.caller, 'tasks.view', group);
    const now = this.clock.now();
    const to = Math.floor(now / MINUTE) * MINUTE + MINUTE;
    const from = to - HOUR;
    const read = (span: number, begin: number, end: number) => this.store.read(this.dialect.root, span, begin, end, groupIds);
    const hour = await read(MINUTE, from, to);
    const yesterday = await read(MINUTE, from - DAY, to - DAY);
    const before = await read(TEN_MINUTES, from - WEEK, from - TEN_MINUTES);
    const first = before[0]?.beginsAt;
    const hours = first === undefined ? 0 : Math.max(1, (from - first) / HOUR);
    const [nowOf, beforeOf] = [byGroup(hour), byGroup(before)];
    const worse = groupIds.flatMap((id) =>
      regressionsOf(this.groups.byId(id)?.key ?? '', sumOf(nowOf.get(id) ?? []), sumOf(beforeOf.get(id) ?? [])),
    );
    return {
      at: iso(Math.floor(now)),
      hour: hourFigures(sumOf(hour), 1),
      yesterday: yesterday.length === 0 ? null : hourFigures(sumOf(yesterday), 1),
      usual: hours === 0 ? null : hourFigures(sumOf(before), hours),
      regressions: worstFirst(worse),
    };
  }
}

function byGroup(rows: readonly RollupRow[]): Map<number, RollupRow[]> {
  const groups = new Map<number, RollupRow[]>();
  for (const row of rows) {
    const known = groups.get(row.groupId);
    if (known) known.push(row);
    else groups.set(row.groupId, [row]);
  }
  return groups;
}
