import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const EVERY_MS = 300;
const CHUNK = 64 * 1024;
const ALARMING: ReadonlySet<unknown> = new Set(['error', 'fatal']);

/** Follows a process's log file and hands over what somebody at the terminal must see: errors, and lines that are no JSON. */
export class LogTail {
  private readonly fd: number;
  private position = 0;
  private rest = '';
  private readonly recent: string[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    path: string,
    private readonly show: (line: string) => void,
  ) {
    this.fd = openSync(path, 'r');
    this.timer = setInterval(() => this.read(), EVERY_MS);
  }

  /** The last lines, for the moment after the process has died. */
  lastLines(): string[] {
    return [...this.recent];
  }

  /** Reads what is left, then lets go of the file. */
  close(): void {
    clearInterval(this.timer);
    this.read();
    closeSync(this.fd);
  }

  private read(): void {
    const buffer = Buffer.alloc(CHUNK);
    while (this.position < fstatSync(this.fd).size) {
      const bytes = readSync(this.fd, buffer, 0, CHUNK, this.position);
      if (bytes === 0) return;
      this.position += bytes;
      const lines = (this.rest + buffer.toString('utf8', 0, bytes)).split('\n');
      this.rest = (lines.pop() ?? '').slice(-CHUNK);
      for (const line of lines) this.take(line);
    }
  }

  private take(line: string): void {
    if (line.trim() === '') return;
    this.recent.push(line.slice(0, 2000));
    if (this.recent.length > 5) this.recent.shift();
    const text = alarm(line);
    if (text) this.show(text);
  }
}

/** null: nothing to worry about. */
function alarm(line: string): string | null {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  if (!ALARMING.has(fields.level)) return null;
  const cause = (fields.err ?? fields.error) as { message?: unknown } | undefined;
  return [fields.msg ?? fields.message, fields.why, cause?.message].filter((part) => typeof part === 'string').join(': ') || line;
}
