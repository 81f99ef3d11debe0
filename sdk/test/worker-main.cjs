// A worker in a process of its own, for tests that kill or block it. Settings as JSON in the first argument.
const { createWorker } = require('../dist/worker/index.js');

const hang = (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const block = ({ ms }) => {
  const end = Date.now() + ms;
  while (Date.now() < end);
  return 'blocked';
};
/** Never gives way, but tells how far it is. */
const grind = ({ ms }, ctx) => {
  const start = Date.now();
  for (let done = 0; done < 1; done = Math.min(1, (Date.now() - start) / ms)) {
    ctx.progress(done);
    ctx.checkpoint({ done });
  }
  return 'ground';
};
const worker = createWorker(JSON.parse(process.argv[2]))
  .handle('echo', (input) => input)
  .handle('hang', hang)
  .handle('stubborn', () => new Promise(() => setInterval(() => undefined, 1000)))
  .handle('block', block)
  .handle('grind', grind);
process.once('SIGTERM', () => worker.stop().then(() => process.exit(0)));
worker.start().catch((error) => {
  process.stderr.write(
    `${JSON.stringify({ message: 'start failed', name: error.name, code: error.code, why: error.message })}\n`,
  );
  process.exit(3);
});
