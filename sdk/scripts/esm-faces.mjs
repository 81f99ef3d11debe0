/**
 * Gives each entry point an ES module face beside its CommonJS one. The face holds no code, it names what the other exports: so both
 * are one module, and a class is the same class for whoever imports it. Fails the build if an entry point cannot be loaded.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

for (const entry of Object.values(entries)) {
  if (typeof entry === 'string') continue;
  const common = entry.require.default;
  const names = Object.keys(require(join(root, common))).filter((name) => name !== '__esModule');
  const file = common.split('/').at(-1);
  const face = [`import common from './${file}';`, ...names.sort().map((name) => `export const ${name} = common.${name};`)];
  writeFileSync(join(root, entry.import.default), `${face.join('\n')}\n`);
  writeFileSync(join(root, entry.import.types), `export * from './${file}';\n`);
}
