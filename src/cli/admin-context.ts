import type { Purpose } from '../backends/adapters.js';
import { loadConfig } from '../platform/config.js';
import { Signals } from '../ports.js';
import type { AdminServices } from './admin-services.js';
import { EXIT } from './output.js';

/**
 * Runs `work` with the services of an administration command, connected as the environment says, and disconnects when running nodes
 * have been told what it changed. If they could not be told, it says so on stderr, and the command ends with EXIT.untold unless it
 * failed.
 */
export async function withAdmin<T>(work: (services: AdminServices) => Promise<T>, purpose: Purpose = 'command'): Promise<T> {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { AdminModule } = await import('./admin.module.js');
  const { AdminServices } = await import('./admin-services.js');
  const context = await NestFactory.createApplicationContext(AdminModule.forRoot(loadConfig(), purpose), {
    logger: ['error'],
    abortOnError: false,
  });
  try {
    return await work(context.get(AdminServices));
  } finally {
    if (!(await context.get(Signals, { strict: false }).flush())) sayUntold();
    await context.close();
  }
}

function sayUntold(): void {
  process.stderr.write(
    'evenkeel: what was changed is in the database, but running nodes could not be told: Redis did not take the news\n' +
      '  each node finds it when it next reads: keys and rights within 60 s, anything else within some seconds.\n' +
      '  Do not repeat the command.\n',
  );
  process.exitCode ??= EXIT.untold;
}
