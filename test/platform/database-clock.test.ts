import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backends } from '../../src/backends/backends.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)("the database's clock, %s", (adapter) => {
  let database: FreshDatabase;
  let folder: string;
  beforeEach(async () => {
    database = await freshDatabase(adapter);
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-clock-'));
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const databaseNow = async ({ dialect }: Backends): Promise<number> => {
    const [row] = await dialect.root.rows<{ now_ms: number }>(`SELECT ${dialect.nowMs} AS now_ms`);
    return row?.now_ms ?? Number.NaN;
  };

  it('is what the nodes go by, in whole milliseconds, whatever happens to the wall clock', async () => {
    const backends = await database.open();
    const realNow = Date.now;
    try {
      Date.now = () => realNow() + 86_400_000;
      const before = await databaseNow(backends);
      const now = backends.clock.now();
      const after = await databaseNow(backends);
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before - 50);
      expect(now).toBeLessThanOrEqual(after + 50);
    } finally {
      Date.now = realNow;
    }
  });

  it('is moved by the file of a test as soon as it changes', async () => {
    const file = join(folder, 'offset');
    writeFileSync(file, '1800000');
    const backends = await database.open({ TEST_CLOCK_FILE: file });
    expect(backends.clock.now() - (await databaseNow(backends))).toBeGreaterThan(1_790_000);
    const monotonic = backends.clock.monotonic();
    writeFileSync(file, '3600000\n');
    await waitFor('the clock has moved', async () => backends.clock.now() - (await databaseNow(backends)) > 3_590_000);
    expect(backends.clock.monotonic() - monotonic).toBeLessThan(60_000);
  });
});
