// Loaded into a process before its own program: keeps its event loop busy for 200 of every 250 milliseconds.
const BUSY_MS = 200;
const FREE_MS = 50;

function keepBusy() {
  const until = performance.now() + BUSY_MS;
  while (performance.now() < until);
  setTimeout(keepBusy, FREE_MS).unref();
}
keepBusy();
