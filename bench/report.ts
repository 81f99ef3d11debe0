import type { Values } from './figures.js';
import { GOALS, type Goal } from './goals.js';
import { FIGURES, type FigureName } from './options.js';
import { median } from './statistics.js';
import { SYSTEM_NAMES, type SystemName } from './system.js';

export interface Measurement {
  figure: FigureName;
  system: SystemName;
  round: number;
  values: Values;
}
export interface Failure {
  what: string;
  why: string;
}
export interface Conditions {
  machine: string;
  cores: number;
  /** Load average of the last minute before the first run: what else the machine was doing. */
  loadBefore: number;
  syncCostMs: number;
  database: string | null;
}
export interface Judgement extends Goal {
  measured: number;
  /** null: the goal has no such bound. */
  mustMet: boolean | null;
  aimMet: boolean | null;
}

export interface Report {
  conditions: Conditions;
  measurements: Measurement[];
  medians: { figure: FigureName; value: string; bySystem: Partial<Record<SystemName, number>> }[];
  judgements: Judgement[];
  failures: Failure[];
}

export function makeReport(conditions: Conditions, measurements: Measurement[], failures: Failure[]): Report {
  const medians = FIGURES.flatMap((figure) => {
    const ofFigure = measurements.filter((each) => each.figure === figure);
    const names = Object.keys(ofFigure[0]?.values ?? {});
    return names.map((value) => {
      const systems = SYSTEM_NAMES.filter((system) => ofFigure.some((each) => each.system === system));
      const of = (system: SystemName) =>
        median(ofFigure.filter((each) => each.system === system).map((each) => each.values[value] as number));
      return { figure, value, bySystem: Object.fromEntries(systems.map((system) => [system, of(system)])) };
    });
  });
  const judgements = GOALS.flatMap((goal) => judge(goal, measurements) ?? []);
  return { conditions, measurements, medians, judgements, failures };
}

/** A ratio is formed in each round, between neighbours in time; the median of the rounds is what counts. */
function judge(goal: Goal, measurements: Measurement[]): Judgement | undefined {
  const find = (system: SystemName, round: number) =>
    measurements.find((each) => each.figure === goal.figure && each.system === system && each.round === round)?.values[
      goal.value
    ];
  const rounds = [...new Set(measurements.map((each) => each.round))];
  const perRound = rounds.flatMap((round) => {
    const ours = find('evenkeel', round);
    const theirs = goal.against === undefined ? 1 : find(goal.against, round);
    return ours === undefined || theirs === undefined ? [] : [ours / theirs];
  });
  if (perRound.length === 0) return undefined;
  const measured = median(perRound);
  const met = (bound: number | undefined) =>
    bound === undefined ? null : goal.better === 'more' ? measured >= bound : measured <= bound;
  return { ...goal, measured, mustMet: met(goal.must), aimMet: met(goal.aim) };
}

/** Two aligned tables: what was measured, and what was promised. */
export function printed({ conditions, medians, judgements, failures }: Report): string {
  const { machine, cores, loadBefore, syncCostMs, database } = conditions;
  const systems = SYSTEM_NAMES.filter((system) => medians.some(({ bySystem }) => bySystem[system] !== undefined));
  const head = `${machine}; load before ${loadBefore.toFixed(2)}; a synced write takes ${syncCostMs.toFixed(2)} ms`;
  const measured = medians.map(({ figure, value, bySystem }) => [
    `${figure} ${UNITS[value] ?? value}`,
    ...systems.map((system) => shown(bySystem[system], value)),
  ]);
  const promised = judgements.map((each) => {
    const sign = each.better === 'more' ? '≥' : '≤';
    const unit = each.against === undefined && each.value !== 'tickRatio' ? ' ms' : ' ×';
    const bound = (value: number | undefined) => (value === undefined ? '–' : `${sign} ${value}${unit}`);
    const digits = each.against === undefined ? 1 : 2;
    return [
      each.label,
      `${each.measured.toFixed(digits)}${unit}`,
      bound(each.must),
      verdict(each.mustMet),
      bound(each.aim),
      verdict(each.aimMet),
    ];
  });
  return [
    head,
    ...(database === null ? [] : [`database ${database}`]),
    ...(loadBefore > cores / 4 ? ['The machine was busy with other work: no claim rests on these figures.'] : []),
    '',
    ...table([['median', ...systems], ...measured]),
    ...(promised.length === 0 ? [] : ['', ...table([['Evenkeel', 'measured', 'must', '', 'aim', ''], ...promised])]),
    ...failures.map(({ what, why }) => `FAILED ${what}: ${why}`),
  ].join('\n');
}

const UNITS: Readonly<Record<string, string>> = {
  perSecond: 'done, tasks/s',
  acceptedPerSecond: 'accepted, tasks/s',
  submitP50: 'submit p50, ms',
  submitP95: 'submit p95, ms',
  submitP99: 'submit p99, ms',
  startP50: 'submit to start p50, ms',
  startP99: 'submit to start p99, ms',
  lateP50: 'lateness p50, ms',
  lateP99: 'lateness p99, ms',
  lateMax: 'lateness max, ms',
  fireP50: 'fire lateness p50, ms',
  fireP99: 'fire lateness p99, ms',
  fireMax: 'fire lateness max, ms',
  tickFewMs: 'few pending, ms',
  tickManyMs: 'many pending, ms',
  tickRatio: 'many / few',
};

const verdict = (met: boolean | null): string => (met === null ? '' : met ? 'pass' : 'miss');

function shown(value: number | undefined, name: string): string {
  if (value === undefined) return '–';
  return /perSecond/i.test(name) ? Math.round(value).toLocaleString('en').replaceAll(',', ' ') : value.toFixed(1);
}

/** The first column to the left, the others to the right. */
function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
