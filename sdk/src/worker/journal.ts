import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedLine, acknowledgedLine, readLine, resultLine } from './journal-line.js';
import type { Logger } from './logger.js';

const SEGMENT_BYTES = 8 * 1024 * 1024;
const KEPT_MS = 3600_000;
const KEPT_SEGMENTS = 8;

/** A result that no centre has acknowledged, with the life that produced it. */
export interface Unreported {
  key: string;
  json: string;
  incarnation: string;
}
export interface EarlierLives {
  /** Keys of the orders accepted within the last hour. */
  accepted: string[];
  unreported: Unreported[];
}
interface Segment {
  path: string;
  openedAt: number;
}

/**
 * Accepted orders and unacknowledged results on disk: append-only segments, one write per batch, no fsync (a killed process loses
 * nothing; a machine that loses power may, and its attempts are then recovered by the centre). A full or lost disk stops nothing:
 * it is logged once and the worker goes on without the guarantee.
 *
 * A segment starts with the results still unacknowledged, so older segments hold nothing but memories and go after an hour.
 */
export class Journal {
  private readonly unacknowledged = new Map<string, { json: string; incarnation: string }>();
  private readonly older: Segment[] = [];
  private segment: (Segment & { descriptor: number; bytes: number }) | undefined;
  private segments = 0;
  private complained = false;

  private constructor(
    private readonly home: string | undefined,
    private readonly incarnation: string,
    private readonly logger: Logger,
    private readonly now: () => number,
  ) {}

  /** Without a home everything is kept in memory only. */
  static open(
    home: string | undefined,
    incarnation: string,
    logger: Logger,
    now: () => number = Date.now,
  ): [Journal, EarlierLives] {
    const journal = new Journal(home, incarnation, logger, now);
    const accepted = new Set<string>();
    journal.safely(() => {
      if (home === undefined) return;
      mkdirSync(home, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(home)
        .filter((each) => SEGMENT_NAME.test(each))
        .sort())
        journal.replay(join(home, name), name, accepted);
      journal.openSegment();
    });
    const unreported = [...journal.unacknowledged].map(([key, { json, incarnation: life }]) => ({
      key,
      json,
      incarnation: life,
    }));
    return [journal, { accepted: [...accepted], unreported }];
  }

  /** Before the answer leaves. Dies before: the centre asks again, nothing ran. Dies after: the next life knows it was taken. */
  accepted(keys: string[]): void {
    this.append(acceptedLine(this.now(), keys));
  }

  /** Before the request leaves. */
  results(batch: { key: string; json: string }[]): void {
    for (const { key, json } of batch) this.unacknowledged.set(key, { json, incarnation: this.incarnation });
    this.append(batch.map(({ key, json }) => resultLine(key, json)).join(''));
  }

  /** Dies before: the results are sent again and acknowledged as duplicates. */
  acknowledged(keys: string[]): void {
    for (const key of keys) this.unacknowledged.delete(key);
    this.append(acknowledgedLine(keys));
  }

  close(): void {
    if (this.segment !== undefined) closeSync(this.segment.descriptor);
    this.segment = undefined;
  }

  private replay(path: string, name: string, accepted: Set<string>): void {
    const life = name.slice('journal-'.length).split('.')[0] as string;
    const whole = readFileSync(path, 'latin1');
    let openedAt = 0;
    // What follows the last line end is a line the earlier life did not finish.
    for (let from = 0, to = whole.indexOf('\n'); to >= 0; from = to + 1, to = whole.indexOf('\n', from)) {
      const line = readLine(whole.slice(from, to));
      if (line?.kind === 'accepted') {
        openedAt = Math.max(openedAt, line.at);
        if (line.at > this.now() - KEPT_MS) for (const key of line.keys) accepted.add(key);
      } else if (line?.kind === 'result') {
        const json = Buffer.from(line.json, 'latin1').toString('utf8');
        const incarnation = this.unacknowledged.get(line.key)?.incarnation ?? life;
        this.unacknowledged.set(line.key, { json, incarnation });
      } else if (line?.kind === 'acknowledged') for (const key of line.keys) this.unacknowledged.delete(key);
    }
    this.older.push({ path, openedAt: openedAt === 0 ? this.now() : openedAt });
  }

  private append(text: string): void {
    this.safely(() => {
      if (this.segment === undefined) return;
      writeWhole(this.segment.descriptor, text);
      this.segment.bytes += text.length;
      if (this.segment.bytes > SEGMENT_BYTES) this.openSegment();
    });
  }

  /** Dies while the unacknowledged results are copied: the older segments still hold them. */
  private openSegment(): void {
    const previous = this.segment;
    const name = `journal-${this.incarnation}.${String(++this.segments).padStart(6, '0')}.log`;
    const path = join(this.home as string, name);
    const descriptor = openSync(path, 'a', 0o600);
    const carried = [...this.unacknowledged].map(([key, { json }]) => resultLine(key, json)).join('');
    writeWhole(descriptor, carried);
    this.segment = { path, descriptor, bytes: 0, openedAt: this.now() };
    if (previous !== undefined) {
      closeSync(previous.descriptor);
      this.older.push({ path: previous.path, openedAt: this.now() });
    }
    while (this.older.length > KEPT_SEGMENTS || (this.older[0] && this.older[0].openedAt < this.now() - KEPT_MS)) {
      unlinkSync((this.older.shift() as Segment).path);
    }
  }

  private safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!this.complained) this.logger.error('journal cannot be written: results would not survive a restart', { error });
      this.complained = true;
    }
  }
}

const SEGMENT_NAME = /^journal-[0-9A-Z]{26}\.\d+\.log$/;

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
