/** Long runs, one after the other; `npm run test:soak`. */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/soak/**/*.soak.ts', '<rootDir>/sdk/test/**/*.soak.ts'],
  maxWorkers: 1,
};
