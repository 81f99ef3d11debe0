import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import type { Command } from 'commander';
import { DemoProcesses } from './demo-worker/demo-processes.js';
import { type LoadSample, sampleLines, verdictOf } from './demo-worker/load-picture.js';
import { DEMO_HANDLER } from './demo-worker/worker-process.js';
import { EXIT, print } from './output.js';

const PER_SECOND = 40;
const TASK_MS = 500;
const ALONE_SECONDS = 6;
const SECONDS = 18;
/** The last seconds are judged: by then the second worker is warm. */
const JUDGED_SECONDS = 7;

export function addDemoWorkerCommand(program: Command): void {
  program
    .command('demo-worker')
    .description(
      'start a centre of its own with one worker and a stream of tasks, add a second worker, and show the load evening out',
    )
    .option('--json', 'print the figures as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const processes = new DemoProcesses();
      const stop = () => void processes.stop().finally(() => process.exit(EXIT.failed));
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
      try {
        const figures = await demonstrate(processes, (line) => process.stderr.write(`${line}\n`));
        const shares = Object.entries(figures.shares).map(([id, share]) => `${id} ${Math.round(share * 100)} %`);
        const lost = `${figures.succeeded} of ${figures.tasks} tasks SUCCEEDED`;
        print(json, figures, [`${figures.ok ? 'Even' : 'NOT EVEN'}: of the last tasks ${shares.join(', ')}; ${lost}.`]);
        process.exitCode = figures.ok ? EXIT.ok : EXIT.failed;
      } finally {
        await processes.stop();
      }
      process.exit();
    });
}

interface DemoFigures {
  ok: boolean;
  tasks: number;
  succeeded: number;
  shares: Record<string, number>;
  samples: LoadSample[];
}

async function demonstrate(processes: DemoProcesses, say: (line: string) => void): Promise<DemoFigures> {
  say('Starting a centre and worker-1 …');
  const file = await processes.startCentre();
  const client = createClient({ url: file.url, accessKey: file.app.accessKey, secretKey: file.app.secretKey });
  try {
    processes.startWorker('worker-1', file);
    while (!processes.news.has('worker-1')) await delay(50);
    say(`${PER_SECOND} tasks of ${TASK_MS} ms a second; worker-2 joins after ${ALONE_SECONDS} s.`);
    const ids: string[] = [];
    const samples: LoadSample[] = [];
    for (let second = 0; second <= SECONDS; second++) {
      const next = delay(1000);
      if (second === ALONE_SECONDS) processes.startWorker('worker-2', file);
      const workers = [...processes.news].map(([id, news]) => ({ id, ...news }));
      samples.push({ second, workers });
      for (const line of sampleLines(samples[second] as LoadSample, samples[second - 1])) say(line);
      if (second < SECONDS) ids.push(...(await submitSecond(client, file.group)));
      await next;
    }
    const succeeded = await countSucceeded(client, ids);
    const verdict = verdictOf(samples[SECONDS - JUDGED_SECONDS] as LoadSample, samples[SECONDS] as LoadSample);
    return { ...verdict, ok: verdict.ok && succeeded === ids.length, tasks: ids.length, succeeded, samples };
  } finally {
    client.close();
  }
}

/** One second's tasks, a few at a time, as a stream comes. */
async function submitSecond(client: EvenkeelClient, group: string): Promise<string[]> {
  const ids: string[] = [];
  for (let part = 0; part < 8; part++) {
    const next = delay(100);
    const items = Array.from({ length: PER_SECOND / 8 }, () => ({ handler: DEMO_HANDLER, group, params: { ms: TASK_MS } }));
    const { results } = await client.submitBatch(items);
    ids.push(...results.flatMap(({ task }) => task?.id ?? []));
    await next;
  }
  return ids;
}

async function countSucceeded(client: EvenkeelClient, ids: string[]): Promise<number> {
  let succeeded = 0;
  const queue = ids.values();
  const follow = async () => {
    for (const id of queue) if ((await client.wait(id, { timeoutMs: 30_000 })).status === 'SUCCEEDED') succeeded++;
  };
  await Promise.all(Array.from({ length: 12 }, follow));
  return succeeded;
}
