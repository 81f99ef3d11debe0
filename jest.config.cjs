const { existsSync } = require('node:fs');
const { availableParallelism } = require('node:os');

const esmOnly = ['uuidv7', 'jose', 'croner', 'ulid', 'file-type'];

const browsers = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chromium = browsers.find((path) => path && existsSync(path));
if (chromium) process.env.CHROMIUM = chromium;
else console.warn('There is no Chromium (CHROMIUM names one): test/browser is left out.');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  // Not in the folder for temporary files: each run of `npm test` has its own.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/sdk/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(chromium ? [] : ['<rootDir>/test/browser/'])],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sdk/dist/'],
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/quiet-logs.ts'],
  transform: {
    '^.+\\.(ts|mjs|js)$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Packages that are ES modules only: Jest cannot require them as they are.
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleNameMapper: {
    '^@evenkeel/sdk/(.*)$': '<rootDir>/sdk/src/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // Jest would leave one core out; but a third of a run is waiting for leases, beats and processes.
  maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
};
