import type { EvenkeelClient } from '@evenkeel/sdk/client';
import type { CreateJob, JobSchedule, JobView } from '@evenkeel/sdk/contract';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from './connection.js';
import { CommandError, columns, EXIT, jsonOption, print } from './output.js';

interface Common extends ConnectionOptions {
  json?: boolean;
}
interface CreateFlags extends Common {
  cron?: string;
  timeZone?: string;
  every?: number;
  after?: number;
  once?: string;
  params?: string;
  group?: string;
  overlap?: string;
  misfire?: string;
  jitter?: number;
  description?: string;
}

/** jobs list, create, pause, resume, trigger, delete, next: what a partner does with scheduled jobs, from a terminal. */
export function addJobsCommand(program: Command): void {
  const jobs = program.command('jobs').description('scheduled jobs');
  const command = (usage: string, description: string) =>
    withConnection(jobs.command(usage).description(description)).option('--json', 'print JSON');
  command('list', 'list the jobs, newest first').option('--group <key>', 'of this group').action(list);
  command('create <key> <handler>', 'create a job; without a schedule it runs by `trigger` only')
    .option('--cron <expression>', 'five to seven fields')
    .option('--time-zone <name>', "IANA zone of the cron expression; default: the centre's DEFAULT_TIMEZONE")
    .option('--every <ms>', 'at a fixed rate', Number)
    .option('--after <ms>', 'this long after the end of the task before', Number)
    .option('--once <instant>', 'at this RFC 3339 instant')
    .option('--params <json>', 'JSON for the handler')
    .option('--group <key>', "default: the app's")
    .option('--overlap <rule>', 'skip, queue, replace or allow')
    .option('--misfire <rule>', 'fire_once, skip or fire_all')
    .option('--jitter <ms>', 'spread the start over this long', Number)
    .option('--description <text>')
    .action(create);
  command('pause <job>', 'fire it no more; <job> is an id or a key').option('--reason <text>').action(pause);
  command('resume <job>', 'fire it again').action(resume);
  command('trigger <job>', 'run it now')
    .option('--params <json>', "instead of the job's own")
    .option('--force', 'whatever else of it is going')
    .action(trigger);
  command('delete <job>', 'delete it; its tasks stay').action(remove);
  command('next <job>', 'show when it fires next').option('-n, --count <n>', 'how many', Number, 5).action(next);
}

async function list(flags: Common & { group?: string }): Promise<void> {
  await withClient(flags, async (client) => {
    const items = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.listJobs({ group: flags.group, cursor, limit: 200 });
      items.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    const rows = items.map((job) => [job.id, job.group, job.key, scheduleText(job.schedule), job.state, job.nextFireAt ?? '-']);
    print(flags.json, items, rows.length > 0 ? columns(rows) : ['no jobs']);
  });
}

async function create(key: string, handler: string, flags: CreateFlags): Promise<void> {
  const { group, overlap, misfire, description } = flags;
  const params = jsonOption(flags.params);
  // The centre knows which words it takes and says so.
  const job = { key, handler, group, params, schedule: scheduleOf(flags), overlap, misfire, description } as CreateJob;
  await withClient(flags, async (client) => {
    const receipt = await client.createJob(job);
    const { fires } = await client.nextFires(receipt.id, 1);
    print(flags.json, receipt, [`${receipt.id} ${receipt.key} in ${receipt.group}, next fire ${fires[0] ?? '-'}`]);
  });
}

function scheduleOf({ cron, timeZone, every, after, once, jitter }: CreateFlags): JobSchedule {
  const stated: JobSchedule[] = [];
  if (cron !== undefined) stated.push({ kind: 'cron', expression: cron, timeZone });
  if (every !== undefined) stated.push({ kind: 'every', everyMs: every });
  if (after !== undefined) stated.push({ kind: 'after', delayMs: after });
  if (once !== undefined) stated.push({ kind: 'once', at: once });
  if (stated.length > 1)
    throw new CommandError('a job has one schedule', EXIT.usage, 'state one of --cron, --every, --after, --once');
  return { ...(stated[0] ?? { kind: 'manual' }), ...(jitter === undefined ? {} : { jitterMs: jitter }) };
}

const pause = (job: string, flags: Common & { reason?: string }) =>
  withClient(flags, async (client) => show(await client.pauseJob(await idOf(client, job), flags.reason), flags.json));

const resume = (job: string, flags: Common) =>
  withClient(flags, async (client) => show(await client.resumeJob(await idOf(client, job)), flags.json));

const trigger = (job: string, flags: Common & { params?: string; force?: boolean }) =>
  withClient(flags, async (client) => {
    const task = await client.triggerJob(await idOf(client, job), {
      params: jsonOption(flags.params),
      force: flags.force,
    } as object);
    const why = task.reason ? ` (${task.reason})` : '';
    print(flags.json, task, [`${task.id} ${task.status}${why}`, `Next: npx evenkeel wait ${task.id}`]);
  });

const remove = (job: string, flags: Common) =>
  withClient(flags, async (client) => {
    const id = await idOf(client, job);
    await client.deleteJob(id);
    print(flags.json, { id, deleted: true }, [`${id} deleted`]);
  });

const next = (job: string, flags: Common & { count: number }) =>
  withClient(flags, async (client) => {
    const answer = await client.nextFires(await idOf(client, job), flags.count);
    print(
      flags.json,
      answer,
      answer.fires.length > 0 ? answer.fires.map((at) => `${at}  ${localText(at, answer.timeZone)}`) : ['never'],
    );
  });

async function withClient(flags: Common, work: (client: EvenkeelClient) => Promise<void>): Promise<void> {
  const client = connect(flags);
  try {
    await work(client);
  } finally {
    client.close();
  }
}

/** A key is enough where only one group of the app has it. */
async function idOf(client: EvenkeelClient, job: string): Promise<string> {
  if (/^job_[0-9A-Z]{26}$/.test(job)) return job;
  const { items } = await client.listJobs({ key: job });
  if (items.length === 1) return (items[0] as { id: string }).id;
  if (items.length === 0) throw new CommandError(`there is no job ${job}`, EXIT.failed, '`evenkeel jobs list` shows them');
  throw new CommandError(`${items.length} groups have a job ${job}`, EXIT.usage, 'name it by its id');
}

function show(job: JobView, json: boolean | undefined): void {
  const reason = job.pauseReason ? ` (${job.pauseReason})` : '';
  print(json, job, [`${job.id} ${job.key} ${job.state}${reason}, next fire ${job.nextFireAt ?? '-'}`]);
}

function scheduleText(schedule: JobSchedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `${schedule.expression} (${schedule.timeZone})`;
    case 'every':
      return `every ${schedule.everyMs} ms`;
    case 'after':
      return `after ${schedule.delayMs} ms`;
    case 'once':
      return `once ${schedule.at}`;
    case 'event':
      return `event ${schedule.name}`;
    case 'upstream':
    case 'manual':
      return schedule.kind;
  }
}

const localText = (at: string, timeZone: string): string =>
  `${new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date(at))} ${timeZone}`;
