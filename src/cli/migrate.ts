import type { Command } from 'commander';
import { loadConfig } from '../platform/config.js';
import { print } from './output.js';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database up to date; safe beside running nodes of the previous version')
    .option('--json', 'print JSON')
    .action(async (flags: { json?: boolean }) => {
      const { openBackends } = await import('../backends/backends.js');
      const { runMigrations } = await import('../backends/migrate.js');
      const backends = await openBackends(loadConfig(), 'migrate');
      try {
        const done = await runMigrations(backends.dataSource);
        print(
          flags.json,
          { migrations: done },
          done.length > 0 ? done.map((name) => `applied ${name}`) : ['the database is up to date'],
        );
      } finally {
        await backends.close();
      }
    });
}
