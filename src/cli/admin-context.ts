import type { Purpose } from '../backends/adapters.js';
import { loadConfig } from '../platform/config.js';
import type { AdminServices } from './admin-services.js';

/** Runs `work` with the services of an administration command, connected as the environment says, and disconnects. */
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
    await context.close();
  }
}
