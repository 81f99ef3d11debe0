import type { Command } from 'commander';
import { startNode } from '../main.js';
import { loadConfig } from '../platform/config.js';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start a node of the scheduling centre; settings come from the environment (see .env.example)')
    .action(async () => {
      const { url } = await startNode(loadConfig());
      process.send?.({ ready: true, url });
    });
}
