/** How a command ended, for scripts. */
export const EXIT = {
  ok: 0,
  /** The centre or the task said no. */
  failed: 1,
  /** The command line or a setting is wrong. */
  usage: 2,
  /** Nobody answered, or the time was over. */
  unreachable: 3,
  /** Done and kept, but running nodes could not be told of it: they find it when they next read. */
  untold: 4,
} as const;

/** A refusal for the person at the terminal; `hint` says what to do next. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    readonly hint?: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

/** One JSON document on stdout with --json, lines for people otherwise. */
export function print(json: boolean | undefined, value: unknown, lines: string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}

/** Columns of text aligned by their widest entry. */
export function columns(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The value of `--params`. */
export function jsonOption(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError('--params is not JSON', EXIT.usage, `for example --params '{"ms": 100}'`);
  }
}
