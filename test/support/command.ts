import { execFile } from 'node:child_process';
import { join } from 'node:path';

const CLI = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');

export interface CommandAnswer {
  code: number;
  stdout: string;
  stderr: string;
}

/** One `evenkeel …` to its end, with this environment and no other settings. */
export function command(args: string[], env: Record<string, string>): Promise<CommandAnswer> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, ...args],
      { env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env }, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}
