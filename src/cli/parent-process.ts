const LONGEST_MS = 6000;

/**
 * A process forked with an IPC channel must not outlive its parent. The operating system closes the channel however the parent
 * ends, kill -9 included; then this process stops as on SIGTERM, `afterMs` later, and at the latest after six seconds more.
 */
export function leaveWithParent(afterMs = 0): void {
  if (process.connected === undefined) return;
  const leave = () => {
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), afterMs);
    setTimeout(() => process.exit(1), afterMs + LONGEST_MS).unref();
  };
  if (process.connected) process.once('disconnect', leave);
  else leave();
}
