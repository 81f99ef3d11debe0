import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { ServerProcess } from '../server-process.js';

/** The compiled command line, beside the compiled bench. */
export const CLI = join(__dirname, '../../src/cli/evenkeel.js');

export interface CentreSettings {
  port: number;
  env: NodeJS.ProcessEnv;
  logFile: string;
}

/** A real centre, started with the options of Node that the image sets. Ready when `/readyz` says so: database, migrations and partitions. */
export async function startCentre({ port, env, logFile }: CentreSettings): Promise<ServerProcess> {
  if (!existsSync(CLI)) throw new Error('the centre is not built: src/cli/evenkeel.ts is missing or did not compile');
  return ServerProcess.start({
    title: 'evenkeel start',
    command: process.execPath,
    args: ['--max-semi-space-size=32', CLI, 'start'],
    logFile,
    env: { ...env, PORT: String(port), HOST: '127.0.0.1' },
    ready: async () => {
      try {
        const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`);
        await body.dump();
        return statusCode === 200;
      } catch {
        return false;
      }
    },
  });
}
