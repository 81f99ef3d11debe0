import type { DataSource } from 'typeorm';
import { openMysql } from '../../src/backends/cluster/mysql-data-source.js';
import { MysqlDialect } from '../../src/backends/cluster/mysql-dialect.js';
import { runMigrations } from '../../src/backends/migrate.js';
import { placeholders } from '../../src/ports.js';
import { type FreshDatabase, freshDatabase } from '../support/services.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const SILENCE_MS = 500;

describe('MysqlDialect while the database is away', () => {
  let database: FreshDatabase;
  let proxy: TcpProxy;
  let dataSource: DataSource;
  let dialect: MysqlDialect;

  beforeAll(async () => {
    database = await freshDatabase('cluster');
    const url = new URL(String(database.env.DATABASE_URL));
    proxy = await TcpProxy.before({ hostname: url.hostname, port: url.port || 3306 });
    dataSource = await openMysql({ url: proxy.through(url), poolSize: 4, silenceMs: SILENCE_MS });
    await runMigrations(dataSource);
    dialect = new MysqlDialect(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await proxy.cut();
    await database.drop();
  });

  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const answers = () =>
    waitFor('the database answers', async () => (await dialect.root.rows('SELECT 1 AS one').catch(() => [])).length === 1);

  it('fails every statement as unavailable when connections are refused, and recovers by itself', async () => {
    await Promise.all(Array.from({ length: 4 }, () => dialect.root.rows('SELECT 1 AS one')));
    await proxy.cut();
    const errors = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        failure(index % 2 ? dialect.root.rows('SELECT 1 AS one') : dialect.transaction((tx) => tx.rows('SELECT 1 AS one'))),
      ),
    );
    expect(errors.map((error) => dialect.isUnavailable(error))).toEqual(errors.map(() => true));
    await proxy.restore();
    await answers();
  });

  it('fails a statement that gets no answer instead of waiting for ever, and does not use its connection again', async () => {
    await answers();
    proxy.freeze();
    const errors = await Promise.all([
      failure(dialect.root.rows('SELECT 1 AS one')),
      failure(dialect.transaction((tx) => tx.rows('SELECT 1 AS one'))),
    ]);
    expect(errors.map((error) => dialect.isUnavailable(error))).toEqual([true, true]);
    await proxy.restore();
    await answers();
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => dialect.root.rows('SELECT ? AS value', [index])));
    expect(all).toEqual(Array.from({ length: 8 }, (_, index) => [{ value: index }]));
  });

  it('keeps nothing of a transaction that was cut before its commit', async () => {
    const error = await failure(
      dialect.transaction(async (tx) => {
        await tx.run('INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, 0, 0)', ['cut', 'h']);
        await proxy.cut();
        await tx.rows('SELECT 1 AS one');
      }),
    );
    expect(dialect.isUnavailable(error)).toBe(true);
    await proxy.restore();
    await answers();
    expect(await dialect.root.rows('SELECT node_id FROM nodes')).toEqual([]);
  });

  it('closes idle connections itself, so that none is closed by the server under a statement', async () => {
    const { dialect: idle } = await database.open();
    const ids = await Promise.all(
      Array.from({ length: 4 }, () =>
        idle.transaction(async (tx) => {
          await tx.run('SET SESSION wait_timeout = 600'); // The server would not close it while this test runs.
          const [row] = await tx.rows<{ id: number }>('SELECT CONNECTION_ID() AS id, SLEEP(0.05) AS slept');
          return row?.id;
        }),
      ),
    );
    expect(new Set(ids).size).toBe(4);
    const left = (): Promise<unknown[]> =>
      dialect.root.rows(`SELECT id FROM information_schema.processlist WHERE id IN (${placeholders(4)})`, ids);
    await waitFor('the idle connections are gone', async () => (await left()).length === 0);
    expect(await idle.root.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
