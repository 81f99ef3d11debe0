import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const TEXT = readFileSync(join(ROOT, 'docs', 'field-cases.md'), 'utf8');
/** `path` › title; › another of the same file. A title may end in … and be longer. */
const REFERENCE =
  /`((?:sdk\/test|unit|integration|faults|conformance|contract|soak)\/[\w./-]+)`([^`|]*(?:`(?!(?:sdk|unit|integration|faults|conformance|contract|soak)\/)[^`|]*)*)/g;

const fileOf = (path: string): string | undefined =>
  ['test.ts', 'soak.ts']
    .map((kind) => join(ROOT, path.startsWith('sdk/') ? '' : 'test', `${path}.${kind}`))
    .find((candidate) => existsSync(candidate));

const references = [...TEXT.matchAll(REFERENCE)].map(([, path = '', rest = '']) => ({
  path,
  titles: rest
    .split('›')
    .slice(1)
    .map(
      (title) =>
        title
          .split(/…|; |\. \*\*|\. There|\. Scripts| \(|\s\|/)[0]
          ?.replace(/[;,.\s]+$/, '')
          .trim() as string,
    )
    .filter(Boolean),
}));

describe('the table of field cases', () => {
  it('names tests that exist', () => {
    expect(references.length).toBeGreaterThan(80);
    const missing = references.flatMap(({ path, titles }) => {
      const file = fileOf(path);
      if (!file) return [path];
      const source = readFileSync(file, 'utf8').replaceAll('\\', '');
      return titles.filter((title) => !source.includes(title)).map((title) => `${path} › ${title}`);
    });
    expect(missing).toEqual([]);
  });
});
