import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of the package this program is part of. */
export function programVersion(from = __dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
      };
      if (name === 'evenkeel') return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (dirname(folder) === folder) return 'unknown';
  }
}
