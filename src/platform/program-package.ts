import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Package {
  root: string;
  version: string;
}
let found: Package | undefined;

/** The package this program is part of: its folder and version. */
export function programPackage(): Package {
  found ??= above(__dirname);
  return found;
}

function above(from: string): Package {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
      };
      if (name === 'evenkeel') return { root: folder, version };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (dirname(folder) === folder) throw new Error('this program does not stand in its package: package.json is missing');
  }
}
