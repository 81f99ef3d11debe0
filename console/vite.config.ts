import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built beside the server's code, which serves it. Asset URLs are relative: the page's <base> says where it lives. */
export default defineConfig({
  base: './',
  plugins: [react()],
  build: { outDir: '../dist/console', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  server: { proxy: { '/api': process.env.CENTRE_URL ?? 'http://127.0.0.1:7300' } },
});
