/** Long runs, one after the other, and what `npm test` does for a shorter time; `npm run test:soak`. */
process.env.BLOCKED_WORKER_MS ??= '40000';
process.env.DRAIN_LONG_MS ??= '20000';
process.env.MISFIRE_IN_FULL ??= '1';
process.env.GRAPH_LAYERS ??= '20';
process.env.DIALOG_UPDATES ??= '20';

module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: [
    '<rootDir>/test/soak/**/*.soak.ts',
    '<rootDir>/sdk/test/**/*.soak.ts',
    ...['faults/blocked-worker', 'faults/worker-drain', 'faults/misfire', 'browser/graph', 'browser/actions'].map(
      (name) => `<rootDir>/test/${name}.test.ts`,
    ),
  ],
  maxWorkers: 1,
};
