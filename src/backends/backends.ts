import type { Config } from '../platform/config.js';
import { DatabaseClock } from '../platform/database-clock.js';
import type { Adapters, Purpose } from './adapters.js';

export interface Backends extends Adapters {
  clock: DatabaseClock;
}

/** Connects everything the configuration names and takes the first sample of the database's clock. */
export async function openBackends(config: Config, purpose: Purpose = 'server'): Promise<Backends> {
  const adapters = await openAdapters(config, purpose);
  const clock = new DatabaseClock(adapters.dialect, config.testClockFile);
  const close = async (): Promise<void> => {
    clock.stop();
    await adapters.close();
  };
  try {
    await clock.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { ...adapters, clock, close };
}

/** Only the drivers that are used are loaded. */
async function openAdapters(config: Config, purpose: Purpose): Promise<Adapters> {
  if (config.mode === 'cluster') return (await import('./cluster/open-cluster.js')).openCluster(config, purpose);
  return (await import('./embedded/open-embedded.js')).openEmbedded(config, purpose);
}
