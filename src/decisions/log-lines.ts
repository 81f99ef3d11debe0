import { LIMITS, type LogLine } from '@evenkeel/sdk/contract';
import { wholeJson, wholeText } from './whole-text.js';

/** A line as it is kept: of an attempt that is known from the row it stands in. */
export type KeptLine = Pick<LogLine, 'seq' | 'at' | 'level' | 'message' | 'fields'>;

/** What is kept of an attempt's log so far. */
export interface LogTally {
  lastSeq: number;
  bytes: number;
  full: boolean;
}

/** Bytes that each line costs beside its texts. */
const LINE_BYTES = 32;

/**
 * What of an attempt's new lines is kept. Lines must come in the order of their `seq`: one at or below the last that was kept is a
 * repeat and is passed over, so that lines sent twice are kept once. At the cap one notice takes the place of the line that no
 * longer fits, and everything after it is refused. Pure.
 */
export function admitLines(tally: LogTally, lines: readonly LogLine[]): { kept: KeptLine[]; tally: LogTally; refused: boolean } {
  const kept: KeptLine[] = [];
  let { lastSeq, bytes, full } = tally;
  let refused = false;
  for (const line of [...lines].sort((a, b) => a.seq - b.seq)) {
    if (line.seq <= lastSeq) continue;
    if (full) {
      refused = true;
      continue;
    }
    const clean = cleanLine(line);
    const size =
      LINE_BYTES + Buffer.byteLength(clean.message) + (clean.fields ? Buffer.byteLength(JSON.stringify(clean.fields)) : 0);
    lastSeq = line.seq;
    if (bytes + size <= LIMITS.attemptLogBytes) {
      bytes += size;
      kept.push(clean);
      continue;
    }
    full = true;
    refused = true;
    kept.push({ seq: line.seq, at: line.at, level: 'warn', message: NOTICE });
  }
  return { kept, tally: { lastSeq, bytes, full }, refused };
}

const NOTICE = `This attempt has logged ${LIMITS.attemptLogBytes} bytes: no further line of it is kept.`;

/** Without NUL, which no viewer shows, and halves of surrogate pairs, which strict readers refuse; no longer than a line may be. */
function cleanLine({ seq, at, level, message, fields }: LogLine): KeptLine {
  const line: KeptLine = { seq, at, level, message: shortened(wholeText(message.replaceAll('\0', '\uFFFD'))) };
  if (!fields || Object.keys(fields).length === 0) return line;
  const text = JSON.stringify(fields);
  const whole = wholeJson(text);
  const size = Buffer.byteLength(whole);
  const kept = whole === text ? fields : (JSON.parse(whole) as typeof fields);
  line.fields = size <= LIMITS.logMessageBytes ? kept : { leftOut: `fields of ${size} bytes` };
  return line;
}

/** Cut where a character ends. */
function shortened(text: string): string {
  if (text.length * 3 <= LIMITS.logMessageBytes || Buffer.byteLength(text) <= LIMITS.logMessageBytes) return text;
  const bytes = Buffer.from(text).subarray(0, LIMITS.logMessageBytes - 3);
  return `${bytes.toString('utf8').replace(/\uFFFD$/, '')}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with one
const COLOURS = /\u001B\[[0-9;:]*[ -/]*[@-~]/g;
/** As it is read: what a search looks through. */
export const withoutColours = (message: string): string => (message.includes('\u001B') ? message.replace(COLOURS, '') : message);
