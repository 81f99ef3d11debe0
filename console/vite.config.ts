import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const OUT = '../dist/console';

/** Small once, at the build, instead of at every request: `x.js.br` and `x.js.gz` beside `x.js`. */
const packed = (): Plugin => ({
  name: 'packed-files',
  apply: 'build',
  closeBundle() {
    const folder = join(import.meta.dirname, OUT);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const content = readFileSync(path);
      if (content.length < 1_024) continue;
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    }
  },
});

/** Built beside the server's code, which serves it. Asset URLs are relative: the page's <base> says where it lives. */
export default defineConfig(({ command }) => {
  // What is built is for people, whatever the shell it is built in says: React's own checks cost half of a page's time.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    base: './',
    plugins: [react(), packed()],
    build: { outDir: OUT, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
    server: { proxy: { '/api': process.env.CENTRE_URL ?? 'http://127.0.0.1:7300' } },
  };
});
