/** Long runs, one after the other, and what `npm test` does for a shorter time; `npm run test:soak`. */
process.env.BLOCKED_WORKER_MS ??= '40000';
process.env.DRAIN_LONG_MS ??= '20000';

module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: [
    '<rootDir>/test/soak/**/*.soak.ts',
    '<rootDir>/sdk/test/**/*.soak.ts',
    ...['blocked-worker', 'worker-drain'].map((name) => `<rootDir>/test/faults/${name}.test.ts`),
  ],
  maxWorkers: 1,
};
