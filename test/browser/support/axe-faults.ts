/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical faults; what depends on colours alone is asked where only those have changed. */
export async function axeFaults(page: Page, rules: 'all' | 'colours'): Promise<string[]> {
  // Once per document: it stays while the console goes from page to page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (asked) => {
    const which = asked === 'all' ? {} : { runOnly: ['color-contrast'] };
    // biome-ignore lint/suspicious/noExplicitAny: the library puts itself there
    const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'], ...which });
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(
        (one: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
          `${one.id} ×${one.nodes.length}: ${one.nodes[0]?.html.slice(0, 160)} ${one.nodes[0]?.failureSummary.slice(0, 200)}`,
      );
  }, rules);
}
