const Sequencer = require('@jest/test-sequencer').default;

/** Tests that start processes or browsers: they take the longest, whatever their size. */
const PROCESSES = /[\\/]test[\\/](faults|browser|contract)[\\/]|[\\/]quickstart\.test\.ts$/;

/** What takes long comes first, also where no earlier run has measured it: no worker is left alone with it at the end. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const long = sorted.filter(({ path }) => PROCESSES.test(path));
    return [...long, ...sorted.filter((test) => !long.includes(test))];
  }
};
