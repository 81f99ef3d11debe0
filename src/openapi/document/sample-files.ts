import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file of examples/signing. The folder is looked for upwards: sources and the built program lie at different depths. */
export async function readSampleFile(name: string): Promise<Buffer> {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const path = join(folder, 'examples', 'signing', name);
    if (existsSync(path)) return readFile(path);
    if (dirname(folder) === folder) throw new Error(`examples/signing/${name} is not part of this installation`);
  }
}
