import type { Command } from 'commander';
import { loadConfig } from '../platform/config.js';
import { leaveWithParent } from './parent-process.js';

/** Workers that lost the same parent go first, and can still deliver what they have. */
const AFTER_WORKERS_MS = 1500;

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start a node of the scheduling centre; settings come from the environment (see .env.example)')
    .action(async () => {
      leaveWithParent(AFTER_WORKERS_MS);
      const { startNode } = await import('../main.js');
      const { url } = await startNode(loadConfig());
      process.send?.({ ready: true, url });
    });
}
