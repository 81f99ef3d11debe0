import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { type DurationHistogram, percentiles } from '../../decisions/duration-histogram.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { OverviewCharts, Percentiles } from '../contract/overview.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { iso, many, queryOf, shortText, words } from '../request-parts.js';
import { addFigures, MINUTE, noFigures, type RollupFigures, TEN_MINUTES } from '../rollups/rollup.js';
import { TaskRollupStore } from '../rollups/task-rollup.store.js';

const HOUR = 3_600_000;
/** How far each range goes back, the spans it is made of, and how long its buckets are. */
const RANGES = {
  '1h': { length: HOUR, span: MINUTE, bucket: MINUTE },
  '6h': { length: 6 * HOUR, span: MINUTE, bucket: 5 * MINUTE },
  '24h': { length: 24 * HOUR, span: TEN_MINUTES, bucket: TEN_MINUTES },
  '7d': { length: 7 * 24 * HOUR, span: TEN_MINUTES, bucket: HOUR },
} as const;
type Range = keyof typeof RANGES;
const QUERY = { range: words(Object.keys(RANGES) as Range[]), group: many(shortText(64)) };

/** Samples by span and group. Summed over the groups of a span, the largest sum is what the chart shows. */
type Samples = Map<number, Map<number, number>>;
interface Bucket {
  figures: RollupFigures;
  backlogs: Samples;
  running: Samples;
}

/** Charts of the overview, from figures that are kept by the minute. */
@Injectable()
export class ChartsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskRollupStore,
    private readonly jobs: ConsoleJobsService,
    private readonly clock: Clock,
  ) {}

  async charts(request: ConsoleRequest): Promise<OverviewCharts> {
    const { range = '1h', group } = queryOf(request, QUERY);
    const { length, span, bucket } = RANGES[range];
    const now = this.clock.now();
    const to = Math.floor(now / bucket) * bucket + bucket;
    const from = to - length;
    const groupIds = this.jobs.groupIds(request.caller, 'tasks.view', group);
    const rows = await this.store.read(this.dialect.root, span, from, to, groupIds);
    const buckets = new Map<number, Bucket>();
    for (const { beginsAt, groupId, figures } of rows) {
      const at = Math.floor(beginsAt / bucket) * bucket;
      const entry = buckets.get(at) ?? { figures: noFigures(), backlogs: new Map(), running: new Map() };
      buckets.set(at, entry);
      addFigures(entry.figures, figures);
      entry.figures.oldestAgeMs = largest(entry.figures.oldestAgeMs, figures.oldestAgeMs);
      const { backlog, running } = sampleOf(figures);
      if (backlog !== null) sample(entry.backlogs, beginsAt, groupId, backlog);
      if (running !== null) sample(entry.running, beginsAt, groupId, running);
    }
    return {
      range,
      bucketMs: bucket,
      from: iso(from),
      to: iso(to),
      buckets: [...buckets].map(([at, entry]) => bucketView(at, entry)),
      incompleteFrom: iso(to - bucket),
    };
  }

  /** How many ended so in [from, to), by the minute. */
  async failedBetween(groupIds: readonly number[], from: number, to: number): Promise<number> {
    const rows = await this.store.read(this.dialect.root, MINUTE, from, to, groupIds);
    return rows.reduce((sum, { figures }) => sum + (figures.outcomes.FAILED ?? 0) + (figures.outcomes.TIMED_OUT ?? 0), 0);
  }
}

/** Null of what no sample was taken of yet. What ran is in every sample, what waited in older ones only if something did. */
const sampleOf = ({ backlog, running = null }: RollupFigures) => ({ backlog: backlog ?? (running === null ? null : 0), running });

/** Each process samples for itself: of one group in one span the largest counts. */
function sample(samples: Samples, beginsAt: number, groupId: number, value: number): void {
  const ofSpan = samples.get(beginsAt) ?? new Map<number, number>();
  samples.set(beginsAt, ofSpan.set(groupId, Math.max(ofSpan.get(groupId) ?? 0, value)));
}

function peak(samples: Samples): number | null {
  const sums = [...samples.values()].map((byGroup) => [...byGroup.values()].reduce((sum, value) => sum + value, 0));
  return sums.length === 0 ? null : Math.max(...sums);
}

function bucketView(at: number, { figures, backlogs, running }: Bucket): OverviewCharts['buckets'][number] {
  const { outcomes } = figures;
  return {
    at: iso(at),
    succeeded: outcomes.SUCCEEDED ?? 0,
    failed: outcomes.FAILED ?? 0,
    timedOut: outcomes.TIMED_OUT ?? 0,
    cancelled: outcomes.CANCELLED ?? 0,
    skipped: outcomes.SKIPPED ?? 0,
    startDelay: percentilesOf(figures.startDelay),
    runTime: percentilesOf(figures.runTime),
    backlog: peak(backlogs),
    running: peak(running),
    oldestAgeMs: figures.oldestAgeMs,
  };
}

function percentilesOf(histogram: DurationHistogram): Percentiles | null {
  const found = percentiles(histogram, [0.5, 0.95, 0.99]);
  if (!found) return null;
  const [p50 = 0, p95 = 0, p99 = 0] = found.values;
  return { p50, p95, p99, count: found.count };
}

const largest = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));
