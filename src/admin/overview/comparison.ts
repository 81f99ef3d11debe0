import { percentiles } from '../../decisions/duration-histogram.js';
import type { HourFigures, OverviewComparison } from '../contract/overview.js';
import { addFigures, noFigures, type RollupFigures } from '../rollups/rollup.js';

type Regression = OverviewComparison['regressions'][number];

/** Fewer than these say nothing. */
const ENOUGH_NOW = 20;
const ENOUGH_BEFORE = 100;
const MUCH_SLOWER = 1.5;
const MORE_MS = 100;
const OFTEN = 0.05;
const MUCH_OFTENER = 2;
const MOST = 5;

export function sumOf(rows: readonly { figures: RollupFigures }[]): RollupFigures {
  const sum = noFigures();
  for (const { figures } of rows) addFigures(sum, figures);
  return sum;
}

const failedOf = ({ outcomes }: RollupFigures): number => (outcomes.FAILED ?? 0) + (outcomes.TIMED_OUT ?? 0);
/** What was skipped or cancelled says nothing of how well it works. */
const triedOf = (figures: RollupFigures): number => (figures.outcomes.SUCCEEDED ?? 0) + failedOf(figures);
const p95 = (histogram: RollupFigures['runTime']): number | null => percentiles(histogram, [0.95])?.values[0] ?? null;

/** Counts for one hour of so many. */
export function hourFigures(figures: RollupFigures, hours: number): HourFigures {
  const ended = Object.values(figures.outcomes).reduce((sum, count) => sum + count, 0);
  return {
    ended: Math.round(ended / hours),
    failed: Math.round(failedOf(figures) / hours),
    startDelayP95: p95(figures.startDelay),
    runTimeP95: p95(figures.runTime),
  };
}

/** What of the group is clearly worse now than before. */
export function regressionsOf(group: string, now: RollupFigures, before: RollupFigures): Regression[] {
  const found: Regression[] = [];
  for (const [kind, name] of [
    ['run_time', 'runTime'],
    ['start_delay', 'startDelay'],
  ] as const) {
    const late = percentiles(now[name], [0.95]);
    const usual = percentiles(before[name], [0.95]);
    if (!late || !usual || late.count < ENOUGH_NOW || usual.count < ENOUGH_BEFORE) continue;
    const [is = 0, was = 0] = [late.values[0], usual.values[0]];
    if (is > was * MUCH_SLOWER && is - was >= MORE_MS) found.push({ group, kind, now: is, usual: was, count: late.count });
  }
  const [tried, triedBefore] = [triedOf(now), triedOf(before)];
  if (tried >= ENOUGH_NOW && triedBefore >= ENOUGH_BEFORE) {
    const [is, was] = [failedOf(now) / tried, failedOf(before) / triedBefore];
    if (is >= OFTEN && is > was * MUCH_OFTENER)
      found.push({ group, kind: 'failures', now: is, usual: was, count: failedOf(now) });
  }
  return found;
}

const timesWorse = ({ now, usual, kind }: Regression): number => now / Math.max(usual, kind === 'failures' ? 0.01 : 1);
export const worstFirst = (found: readonly Regression[]): Regression[] =>
  [...found].sort((a, b) => timesWorse(b) - timesWorse(a)).slice(0, MOST);
