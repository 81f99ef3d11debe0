/** What one scenario came to. */
export interface SoakRow {
  scenario: string;
  planned: number;
  executed: number;
  doubled: number;
  lost: number;
  /** Start delays in milliseconds. */
  lateness: number[];
}

const HEAD = ['scenario', 'planned', 'executed', 'doubled', 'lost', 'p50 ms', 'p99 ms'];

/** One table for people, whatever became of the tests. */
export function printSoak(rows: readonly SoakRow[]): void {
  const cells = rows.map(({ scenario, planned, executed, doubled, lost, lateness }) => [
    scenario,
    ...[planned, executed, doubled, lost, percentile(lateness, 0.5), percentile(lateness, 0.99)].map(String),
  ]);
  const widths = HEAD.map((name, i) => Math.max(name.length, ...cells.map((row) => (row[i] as string).length)));
  const text = [HEAD, ...cells].map((row) => row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  '));
  process.stderr.write(`\n${text.join('\n')}\n`);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}
