import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DIST = join(__dirname, '..', '..', 'dist', 'console');
const KB = 1_024;
const packed = (name: string) => gzipSync(readFileSync(join(DIST, 'assets', name))).length;

describe('the built console', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const entry = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, name]) => name as string);

  it('loads at most 420 KB before its first page', () => {
    expect(entry.length).toBeGreaterThan(0);
    expect(entry.reduce((sum, name) => sum + packed(name), 0)).toBeLessThanOrEqual(420 * KB);
  });

  it('loads at most 120 KB more for any page', () => {
    const others = readdirSync(join(DIST, 'assets')).filter((name) => name.endsWith('.js') && !entry.includes(name));
    for (const name of others) expect([name, packed(name) <= 120 * KB]).toEqual([name, true]);
  });

  it('holds no script in its page, and every file has its packed twin', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
    for (const name of entry.filter((each) => readFileSync(join(DIST, 'assets', each)).length >= KB))
      readFileSync(join(DIST, 'assets', `${name}.br`));
  });
});
