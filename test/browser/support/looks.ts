/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** A page is loaded once, and then turned into the other languages and themes as a person turns it, in their preferences. */
export const LOOKS = [
  { language: 'zh-CN', theme: 'light', rules: 'all' },
  { language: 'zh-CN', theme: 'dark', rules: 'colours' },
  { language: 'en', theme: 'dark', rules: 'all' },
  { language: 'en', theme: 'light', rules: 'colours' },
] as const;

export async function turn(page: Page, { language, theme }: (typeof LOOKS)[number]): Promise<void> {
  await page.evaluate(
    (chosen) => {
      localStorage.setItem('evenkeel.preferences', JSON.stringify(chosen));
      dispatchEvent(new StorageEvent('storage', { key: 'evenkeel.preferences' }));
    },
    { language, theme },
  );
  await page.waitForFunction(
    (chosen) => document.documentElement.dataset.theme === chosen.theme && document.documentElement.lang === chosen.language,
    { language, theme },
  );
  // Drawn twice: colours that are derived come with the second.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
