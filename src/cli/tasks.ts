import { type EvenkeelClient, WaitTimeoutError } from '@evenkeel/sdk/client';
import { isTerminal, type ShardFailureRule, type SubmitTask, type TaskReceipt, type TaskView } from '@evenkeel/sdk/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from './connection.js';
import { CommandError, columns, EXIT, jsonOption, print } from './output.js';

/** Longest time between two looks at a task that is waited for. */
const LOOK_SECONDS = 2;

interface Common extends ConnectionOptions {
  json?: boolean;
}
interface SubmitFlags extends Common {
  params?: string;
  group?: string;
  delay?: number;
  runAt?: string;
  priority?: number;
  timeout?: number;
  requestId?: string;
  callbackUrl?: string;
  retries?: number;
  shards?: string;
  onShardFailure?: ShardFailureRule;
  wait?: boolean;
}

/** submit, get, wait, cancel and retry: what a partner does, from a terminal. */
export function addTaskCommands(program: Command): void {
  withConnection(program.command('submit <handler>').description('submit a task and print its receipt'))
    .option('--params <json>', 'JSON for the handler')
    .option('--group <key>', "default: the app's")
    .option('--delay <ms>', 'start this much later', Number)
    .option('--run-at <instant>', 'start at this RFC 3339 instant')
    .option('--priority <n>', '1 to 10, 10 first', Number)
    .option('--timeout <ms>', 'limit of one attempt; 0 for none', Number)
    .option('--retries <n>', 'retries, one second apart (default: three, after 1, 2 and 4 minutes)', Number)
    .option('--shards <n>', 'divide it into that many shards, or `broadcast`: one for each worker')
    .option('--on-shard-failure <rule>', 'continue or stop: what becomes of the other shards (default: continue)')
    .option('--request-id <id>', 'clientRequestId: submitting it again makes no second task')
    .option('--callback-url <url>', 'tell this receiver of its end')
    .option('--wait', 'wait for the end; exit code 1 unless it SUCCEEDED')
    .option('--json', 'print JSON')
    .action(submit);
  withConnection(program.command('get <taskId>').description('show a task with its timeline'))
    .option('--json', 'print JSON')
    .action(get);
  withConnection(program.command('wait <taskId>').description('wait for the end of a task; exit code 1 unless it SUCCEEDED'))
    .option('--timeout <seconds>', 'give up after this long (exit code 3)', Number, 3600)
    .option('--json', 'print JSON')
    .action(wait);
  withConnection(program.command('cancel <taskId>').description('cancel a task, or ask its worker to stop it'))
    .option('--json', 'print JSON')
    .action(cancel);
  withConnection(
    program.command('retry <taskId>').description('open another attempt of a task that failed, timed out or was cancelled'),
  )
    .option('--json', 'print JSON')
    .action(retry);
}

async function submit(handler: string, flags: SubmitFlags): Promise<void> {
  const client = connect(flags);
  const options: Omit<SubmitTask, 'handler' | 'params'> = {
    group: flags.group,
    delayMs: flags.delay,
    runAt: flags.runAt,
    priority: flags.priority,
    timeoutMs: flags.timeout,
    clientRequestId: flags.requestId,
    callbackUrl: flags.callbackUrl,
    shards: flags.shards === undefined || flags.shards === 'broadcast' ? flags.shards : Number(flags.shards),
    onShardFailure: flags.onShardFailure,
    retry: flags.retries === undefined ? undefined : { kind: 'fixed', maxRetries: flags.retries, delayMs: 1000 },
  };
  const receipt = await client.submit(handler, jsonOption(flags.params), options);
  if (!flags.wait) print(flags.json, receipt, receiptLines(receipt));
  else show(await follow(client, receipt.id, Number.POSITIVE_INFINITY), flags.json, true);
  client.close();
}

/** Waits for the end and says on stderr whenever something changes, so that a wait never looks like a hang. Throws WaitTimeoutError. */
async function follow(client: EvenkeelClient, id: string, timeoutMs: number): Promise<TaskView> {
  const end = performance.now() + timeoutMs;
  let said = '';
  for (;;) {
    const left = Math.ceil((end - performance.now()) / 1000);
    const task = await client.get(id, { wait: Math.max(0, Math.min(LOOK_SECONDS, left)) });
    if (isTerminal(task.status)) return task;
    const now = `${task.status}${task.reason ? ` (${task.reason})` : ''}${task.status === 'RETRYING' ? `, next try at ${task.dueAt}` : ''}`;
    if (now !== said) process.stderr.write(`${now}\n`);
    said = now;
    if (left <= 0) throw new WaitTimeoutError(id, task.status);
  }
}

async function get(id: string, flags: Common): Promise<void> {
  const client = connect(flags);
  show(await client.get(id), flags.json, false);
  client.close();
}

async function wait(id: string, flags: Common & { timeout: number }): Promise<void> {
  const client = connect(flags);
  try {
    show(await follow(client, id, flags.timeout * 1000), flags.json, true);
  } catch (error) {
    if (error instanceof WaitTimeoutError)
      throw new CommandError(error.message, EXIT.unreachable, 'it goes on; wait again or cancel it');
    throw error;
  } finally {
    client.close();
  }
}

async function cancel(id: string, flags: Common): Promise<void> {
  const client = connect(flags);
  const task = await client.cancel(id);
  print(flags.json, task, [
    isTerminal(task.status) ? `${task.id} ${task.status}` : `${task.id} asked to stop, still ${task.status}`,
  ]);
  client.close();
}

async function retry(id: string, flags: Common): Promise<void> {
  const client = connect(flags);
  const task = await client.retry(id);
  print(flags.json, task, [
    `${task.id} ${task.status}${task.reason ? ` (${task.reason})` : ''}`,
    `Next: npx evenkeel wait ${task.id}`,
  ]);
  client.close();
}

/** The end of a task decides the exit code only where the command waited for it. */
function show(task: TaskView, json: boolean | undefined, judged: boolean): void {
  print(json, task, taskLines(task));
  if (judged && task.status !== 'SUCCEEDED') process.exitCode = EXIT.failed;
}

const receiptLines = (receipt: TaskReceipt): string[] => [
  `${receipt.id} ${receipt.status}, due ${receipt.dueAt}`,
  `Next: npx evenkeel wait ${receipt.id}`,
];

const shardsLine = ({ total, done, failed, running }: NonNullable<TaskView['shards']>): string =>
  `${done} of ${total} done${failed > 0 ? `, ${failed} without success` : ''}${running > 0 ? `, ${running} running` : ''}`;

function taskLines(task: TaskView): string[] {
  const facts = [
    ['task', task.id],
    ['status', task.reason ? `${task.status} (${task.reason})` : task.status],
    ['handler', `${task.handler} in ${task.group}`],
    ...(task.shards ? [['shards', shardsLine(task.shards)]] : []),
    ...(task.shard ? [['shard', `${task.shard.index} of ${task.shard.total}, of ${task.parentId}`]] : []),
    ['due', task.dueAt],
    ['started', task.startedAt ?? '-'],
    ['finished', task.finishedAt ?? '-'],
    ...(task.error ? [['error', `${task.error.name}: ${task.error.message}`]] : []),
    ...(task.result === null ? [] : [['result', JSON.stringify(task.result)]]),
  ];
  const steps = task.timeline.map((step) => [
    step.at,
    step.to,
    step.attempt ? `#${step.attempt}` : '',
    step.worker ?? step.actor,
    [step.reason, step.count ? `×${step.count}` : ''].filter(Boolean).join(' '),
  ]);
  return [...columns(facts), '', ...columns(steps)];
}
