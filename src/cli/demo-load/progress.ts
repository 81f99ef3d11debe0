const BAR = 30;
const TTY_EVERY_MS = 100;
const LINE_EVERY_MS = 2000;

/** A bar that redraws itself on a terminal, a line every two seconds elsewhere. On stderr, so that --json stays JSON. */
export class Progress {
  private ended = 0;
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly total: number,
    private readonly calls: () => number,
  ) {
    this.timer = setInterval(() => this.draw(), process.stderr.isTTY ? TTY_EVERY_MS : LINE_EVERY_MS);
  }

  oneMore(): void {
    this.ended++;
  }

  close(): void {
    clearInterval(this.timer);
    this.draw();
    if (process.stderr.isTTY) process.stderr.write('\n');
  }

  private draw(): void {
    const seconds = ((performance.now() - this.startedAt) / 1000).toFixed(1);
    const figures = `${this.ended}/${this.total} ended, ${this.calls()} calls, ${seconds} s`;
    if (!process.stderr.isTTY) return void process.stderr.write(`${figures}\n`);
    const full = Math.floor((this.ended / this.total) * BAR);
    process.stderr.write(`\r[${'█'.repeat(full)}${'·'.repeat(BAR - full)}] ${figures}\x1b[K`);
  }
}
