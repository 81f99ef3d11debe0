import type { Config } from '../platform/config.js';
import { DatabaseClock } from '../platform/database-clock.js';
import type { Adapters, Purpose } from './adapters.js';
import { openCluster } from './cluster/open-cluster.js';
import { openEmbedded } from './embedded/open-embedded.js';

export interface Backends extends Adapters {
  clock: DatabaseClock;
}

/** Connects everything the configuration names and takes the first sample of the database's clock. */
export async function openBackends(config: Config, purpose: Purpose = 'server'): Promise<Backends> {
  const adapters = config.mode === 'cluster' ? await openCluster(config, purpose) : await openEmbedded(config, purpose);
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
