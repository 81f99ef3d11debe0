import type { TaskLogLine } from '@evenkeel/sdk/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from './connection.js';

/** The centre holds a request for further lines this long. */
const WAIT_SECONDS = 20;

interface LogFlags extends ConnectionOptions {
  follow?: boolean;
  json?: boolean;
}

/** tasks logs: what the handlers of a task's attempts logged, as a partner reads it. */
export function addTaskLogsCommand(program: Command): void {
  const tasks = program.command('tasks').description('what there is to read of a task besides `get`');
  withConnection(tasks.command('logs <taskId>').description('print what its handler logged, all attempts in order'))
    .option('--follow', 'go on with what comes, until the task has ended')
    .option('--json', 'print one JSON object a line')
    .action(logs);
}

/** Each line is printed once, as soon as it is there. */
async function logs(id: string, { follow, json, ...connection }: LogFlags): Promise<void> {
  const client = connect(connection);
  try {
    let cursor: string | undefined;
    for (;;) {
      const { items, nextCursor } = await client.logs(id, { cursor, wait: follow ? WAIT_SECONDS : 0 });
      for (const line of items) process.stdout.write(`${json ? JSON.stringify(line) : readable(line)}\n`);
      if (nextCursor === null || (!follow && items.length === 0)) return;
      cursor = nextCursor;
    }
  } finally {
    client.close();
  }
}

const readable = ({ at, level, attempt, message, fields }: TaskLogLine): string =>
  shown(`${at}  ${level.padEnd(5)}  #${attempt}  ${message}${fields ? `  ${JSON.stringify(fields)}` : ''}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a handler logs must not steer the terminal
const shown = (text: string): string => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd').replaceAll('\n', '\n    ');
