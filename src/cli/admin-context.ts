import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Purpose } from '../backends/adapters.js';
import { loadConfig } from '../platform/config.js';
import { AdminModule } from './admin.module.js';

/** Runs `work` with the services of an administration command, connected as the environment says, and disconnects. */
export async function withAdmin<T>(
  work: (context: INestApplicationContext) => Promise<T>,
  purpose: Purpose = 'command',
): Promise<T> {
  const context = await NestFactory.createApplicationContext(AdminModule.forRoot(loadConfig(), purpose), {
    logger: ['error'],
    abortOnError: false,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}
