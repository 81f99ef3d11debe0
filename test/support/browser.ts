import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CANDIDATES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine, or undefined: then the tests that need one are skipped, visibly. */
export const browserPath = (): string | undefined => CANDIDATES.find((path) => path && existsSync(path));

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath(), headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
