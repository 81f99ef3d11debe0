import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sampleLines, verdictOf } from '../../src/cli/demo-worker/load-picture.js';

const CLI = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');

describe('demo-worker', () => {
  const sample = (second: number, one: number, two?: number) => ({
    second,
    workers: [
      { id: 'worker-1', active: 3, begun: one },
      ...(two === undefined ? [] : [{ id: 'worker-2', active: 60, begun: two }]),
    ],
  });

  it('calls the load even when each of two workers begins between 35 and 65 per cent', () => {
    expect(verdictOf(sample(10, 100, 0), sample(20, 140, 60))).toEqual({
      ok: true,
      shares: { 'worker-1': 0.4, 'worker-2': 0.6 },
    });
    expect(verdictOf(sample(10, 100, 0), sample(20, 170, 30)).ok).toBe(false);
    expect(verdictOf(sample(10, 100), sample(20, 170)).ok).toBe(false);
  });

  it('draws a bar for each worker', () => {
    const [first, second] = sampleLines(sample(7, 30, 10), sample(6, 20));
    expect(first).toMatch(/^ {2}7 s {2}worker-1 {2}███ +3 running, 10 begun$/);
    expect(second).toMatch(/worker-2 {2}█{40} {2}60 running, 10 begun$/);
  });

  it('shows a second worker joining, with real processes, and loses nothing', async () => {
    const options = { env: { PATH: process.env.PATH, HOME: process.env.HOME } };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [CLI, 'demo-worker', '--json'], options);
    const figures = JSON.parse(stdout);
    expect(figures).toMatchObject({
      succeeded: figures.tasks,
      shares: { 'worker-1': expect.any(Number), 'worker-2': expect.any(Number) },
    });
    expect(stderr).toContain('worker-2');
  }, 180_000);
});
