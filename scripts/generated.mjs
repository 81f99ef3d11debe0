// Writes the files that are made from the code, or with --check fails if one is not what the code makes. Needs a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
require('reflect-metadata');

/** Path to the function that makes its text. */
const GENERATED = {
  'openapi.json': () => require('../dist/src/openapi/document/make-document.js').openApiText(),
  'docs/task-states.md': () => require('../dist/src/decisions/task-states-page.js').taskStatesPage(),
  '.env.example': () => require('../dist/src/platform/env-example.js').envExample(),
};

const check = process.argv.includes('--check');
const stale = [];
for (const [path, make] of Object.entries(GENERATED)) {
  const text = await make();
  if (!check) writeFileSync(join(root, path), text);
  else if (read(path) !== text) stale.push(path);
}
if (stale.length > 0) {
  console.error(`not what the code makes: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`);
  process.exitCode = 1;
}

function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
