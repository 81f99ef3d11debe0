/** Long runs, one after the other, and what `npm test` does a few rounds of; `npm run test:soak`. */
process.env.CALLBACK_KILL_ROUNDS ??= '100';

module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/soak/**/*.soak.ts', '<rootDir>/sdk/test/**/*.soak.ts', '<rootDir>/test/faults/callbacks.test.ts'],
  maxWorkers: 1,
};
