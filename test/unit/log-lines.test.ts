import { LIMITS, type LogLine } from '@evenkeel/sdk/contract';
import { admitLines, type LogTally } from '../../src/decisions/log-lines.js';

const EMPTY: LogTally = { lastSeq: 0, bytes: 0, full: false };
const line = (seq: number, message = `line ${seq}`, over: Partial<LogLine> = {}): LogLine => ({
  taskId: 'task_1',
  lease: 2,
  attempt: 1,
  seq,
  at: 1_800_000_000_000,
  level: 'info',
  message,
  ...over,
});

describe('the lines of an attempt that are kept', () => {
  it('come in order, each once, however often they are sent', () => {
    const first = admitLines(EMPTY, [line(2), line(1), line(2), line(3)]);
    expect(first.kept.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const again = admitLines(first.tally, [line(1), line(2), line(3), line(4)]);
    expect(again.kept.map(({ seq }) => seq)).toEqual([4]);
    expect(again.refused).toBe(false);
  });

  it('end at the cap with one notice, and nothing is kept after it', () => {
    const big = 'x'.repeat(LIMITS.logMessageBytes);
    const lines = Array.from({ length: 100 }, (_, i) => line(i + 1, big));
    const { kept, tally, refused } = admitLines(EMPTY, lines);
    expect(refused).toBe(true);
    expect(tally.full).toBe(true);
    expect(tally.bytes).toBeLessThanOrEqual(LIMITS.attemptLogBytes);
    expect(kept.length).toBeGreaterThan(60);
    expect(kept.at(-1)).toMatchObject({ level: 'warn', message: expect.stringContaining(`${LIMITS.attemptLogBytes} bytes`) });
    expect(kept.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(admitLines(tally, [line(101)])).toMatchObject({ kept: [], refused: true });
  });

  it('hold no NUL and no half of a surrogate pair, are cut where a character ends, and leave out fields that are too large', () => {
    const { kept } = admitLines(EMPTY, [
      line(1, 'a\0b'),
      line(2, '温'.repeat(LIMITS.logMessageBytes)),
      line(3, 'with fields', { fields: { page: 3 } }),
      line(4, 'with too many', { fields: { text: 'x'.repeat(LIMITS.logMessageBytes) } }),
      line(5, 'half \ud83d of 😀', { fields: { 'name \udc00': ['half \ud83d of 😀'] } }),
    ]);
    expect(kept[0]?.message).toBe('a\uFFFDb');
    expect(Buffer.byteLength(kept[1]?.message ?? '')).toBeLessThanOrEqual(LIMITS.logMessageBytes);
    expect(kept[1]?.message).toMatch(/^温+…$/);
    expect(kept[2]?.fields).toEqual({ page: 3 });
    expect(kept[3]?.fields).toEqual({ leftOut: expect.stringContaining('bytes') });
    expect(kept[4]).toMatchObject({ message: 'half \ufffd of 😀', fields: { 'name \ufffd': ['half \ufffd of 😀'] } });
  });
});
