import type { Backends } from '../../src/backends/backends.js';
import { MysqlDialect } from '../../src/backends/cluster/mysql-dialect.js';
import { placeholders, type Sql, type SqlDialect } from '../../src/ports.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('SqlDialect, %s', (adapter) => {
  let database: FreshDatabase;
  let backends: Backends;
  let dialect: SqlDialect;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
    dialect = backends.dialect;
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    for (const table of ['partitions', 'users', 'nodes']) await dialect.root.run(`DELETE FROM ${table}`);
  });

  const addNode = (sql: Sql, nodeId: string, seenAt = 1): Promise<number> =>
    sql.run('INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, ?, ?)', [nodeId, 'host', 0, seenAt]);
  const addUser = (sql: Sql, username: string): Promise<number> =>
    sql.run('INSERT INTO users (username, password_hash, user_role, disabled, created_at) VALUES (?, ?, ?, ?, ?)', [
      username,
      'x',
      'viewer',
      0,
      1,
    ]);
  const nodeIds = async (): Promise<string[]> => {
    const rows = await dialect.root.rows<{ node_id: string }>('SELECT node_id FROM nodes ORDER BY node_id');
    return rows.map((row) => row.node_id);
  };

  describe('statements', () => {
    it('count the rows they match, also when nothing changes', async () => {
      await addNode(dialect.root, 'a');
      expect(await dialect.root.run('UPDATE nodes SET seen_at = ? WHERE node_id = ?', [1, 'a'])).toBe(1);
      expect(await dialect.root.run('UPDATE nodes SET seen_at = ? WHERE node_id = ?', [1, 'nobody'])).toBe(0);
      expect(await dialect.root.run('DELETE FROM nodes WHERE node_id IN (?, ?)', ['a', 'b'])).toBe(1);
    });

    it('bring large numbers, counts and sums back as numbers', async () => {
      await addNode(dialect.root, 'a', 9_007_199_254_740_991);
      const rows = await dialect.root.rows('SELECT seen_at, COUNT(*) AS c, SUM(started_at) AS s FROM nodes GROUP BY seen_at');
      expect(rows).toEqual([{ seen_at: 9_007_199_254_740_991, c: 1, s: 0 }]);
    });

    it('bind undefined as NULL and booleans as 0 and 1, a single NULL too', async () => {
      expect(await dialect.root.rows('SELECT ? AS a, ? AS b, ? AS c', [undefined, true, false])).toEqual([
        { a: null, b: 1, c: 0 },
      ]);
      expect(await dialect.root.rows('SELECT ? AS a', [null])).toEqual([{ a: null }]);
    });

    it('refuse a list as one parameter', async () => {
      await expect(dialect.root.rows('SELECT ? AS a', [['x', 'y']])).rejects.toThrow(TypeError);
      expect(placeholders(2)).toBe('?, ?');
    });

    it('keep text exactly: quotes, backslashes, emoji and NUL-free control characters', async () => {
      const text = `'"\\ \`?:name 任务 🚀\n\t%_`;
      await dialect.root.run('INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, 0, 0)', ['text', text]);
      expect(await dialect.root.rows('SELECT host_name FROM nodes WHERE host_name = ?', [text])).toEqual([{ host_name: text }]);
    });

    it('tell about how many rows a table has without counting them', async () => {
      const about = async (table: string) => {
        const [row] = await dialect.root.rows<{ n: number | string }>(`SELECT ${dialect.estimatedRows(table)} AS n`);
        return Number(row?.n);
      };
      for (const id of ['about-1', 'about-2', 'about-3']) await addNode(dialect.root, id);
      const rows = await about('nodes');
      // MySQL looks at a table now and then.
      if (dialect.name === 'sqlite') expect(rows).toBeGreaterThanOrEqual(3);
      expect(rows).toBeGreaterThanOrEqual(0);
      expect(await about('webhook_events')).toBeGreaterThanOrEqual(0);
    });

    it('append text with concat', async () => {
      await addNode(dialect.root, 'a');
      await dialect.root.run(`UPDATE nodes SET host_name = ${dialect.concat('host_name', '?')}`, [' 加']);
      expect(await dialect.root.rows('SELECT host_name FROM nodes')).toEqual([{ host_name: 'host 加' }]);
    });

    it('tell the time in whole epoch milliseconds', async () => {
      const [row] = await dialect.root.rows<{ now_ms: number }>(`SELECT ${dialect.nowMs} AS now_ms`);
      expect(Number.isInteger(row?.now_ms)).toBe(true);
      expect(Math.abs((row?.now_ms ?? 0) - Date.now())).toBeLessThan(60_000);
    });
  });

  describe('transaction', () => {
    it('keeps everything when the work succeeds and returns its answer', async () => {
      const answer = await dialect.transaction(async (tx) => {
        await addNode(tx, 'a');
        await addNode(tx, 'b');
        return 42;
      });
      expect(answer).toBe(42);
      expect(await nodeIds()).toEqual(['a', 'b']);
    });

    it('keeps nothing when the work fails, and rethrows', async () => {
      const failure = new Error('on purpose');
      const work = dialect.transaction(async (tx) => {
        await addNode(tx, 'a');
        throw failure;
      });
      await expect(work).rejects.toBe(failure);
      expect(await nodeIds()).toEqual([]);
    });

    it('does not take a neighbour along when it rolls back', async () => {
      await Promise.all([
        ...Array.from({ length: 10 }, (_, index) =>
          dialect
            .transaction(async (tx) => {
              await addNode(tx, `bad${index}`);
              await tx.rows('SELECT 1 AS one');
              throw new Error('on purpose');
            })
            .catch(() => undefined),
        ),
        ...Array.from({ length: 10 }, (_, index) =>
          dialect.transaction(async (tx) => {
            await addNode(tx, `good${index}`);
            await tx.rows('SELECT 1 AS one');
          }),
        ),
        ...Array.from({ length: 10 }, (_, index) => addNode(dialect.root, `root${index}`)),
      ]);
      const kept = await nodeIds();
      expect(kept).toHaveLength(20);
      expect(kept.filter((id) => id.startsWith('bad'))).toEqual([]);
    });

    it('hides what is not committed from statements outside', async () => {
      const outside = await dialect.transaction(async (tx) => {
        await addNode(tx, 'a');
        return { seen: dialect.name === 'mysql' ? await nodeIds() : [] };
      });
      expect(outside.seen).toEqual([]);
      expect(await nodeIds()).toEqual(['a']);
    });

    it('lets one of twenty optimistic claimers win', async () => {
      await addNode(dialect.root, 'claimed', 7);
      const claims = await Promise.all(
        Array.from({ length: 20 }, () =>
          dialect.transaction((tx) => tx.run("UPDATE nodes SET seen_at = seen_at + 1 WHERE node_id = 'claimed' AND seen_at = 7")),
        ),
      );
      expect(claims.filter((changed) => changed === 1)).toHaveLength(1);
    });

    it('loses no increment of twenty read-then-write transactions under forUpdate', async () => {
      await addNode(dialect.root, 'counter', 0);
      await Promise.all(
        Array.from({ length: 20 }, () =>
          dialect.transaction(async (tx) => {
            const [row] = await tx.rows<{ seen_at: number }>(
              `SELECT seen_at FROM nodes WHERE node_id = 'counter' ${dialect.forUpdate}`,
            );
            await tx.run("UPDATE nodes SET seen_at = ? WHERE node_id = 'counter'", [(row?.seen_at ?? 0) + 1]);
          }),
        ),
      );
      expect(await dialect.root.rows('SELECT seen_at FROM nodes')).toEqual([{ seen_at: 20 }]);
    });

    it('can use repositories through its manager', async () => {
      await dialect
        .transaction(async (tx) => {
          await tx.manager.insert('users', { username: 'u', passwordHash: 'x', role: 'viewer', disabled: true, createdAt: 1 });
          throw new Error('on purpose');
        })
        .catch(() => undefined);
      expect(await dialect.root.rows('SELECT id FROM users')).toEqual([]);
      await dialect.root.manager.insert('users', {
        username: 'u',
        passwordHash: 'x',
        role: 'viewer',
        disabled: true,
        createdAt: 1,
      });
      expect(await dialect.root.manager.findOneBy('users', { username: 'u' })).toMatchObject({ disabled: true, createdAt: 1 });
    });

    it('goes on after failed statements on every connection', async () => {
      const failures = await Promise.allSettled(
        Array.from({ length: 30 }, () => dialect.transaction((tx) => tx.rows('SELECT nonsense FROM nodes'))),
      );
      expect(failures.every((failure) => failure.status === 'rejected')).toBe(true);
      await dialect.transaction((tx) => addNode(tx, 'after'));
      expect(await nodeIds()).toEqual(['after']);
    });
  });

  describe('updateFromRows', () => {
    const columns = [
      ['id', 'id'],
      ['host', 'text'],
      ['seen', 'bigint'],
    ] as const;
    const set = { host_name: 'r.host', seen_at: 't.seen_at + r.seen' };

    it('gives five hundred rows their own values in one statement', async () => {
      await dialect.transaction(async (tx) => {
        for (let index = 0; index < 500; index++) await addNode(tx, `n${index}`, index);
      });
      const rows = Array.from({ length: 500 }, (_, index) => [`n${index}`, `主机 ${index} 🚀`, 1_000_000_000_000_000 + index]);
      const changed = await dialect.transaction((tx) =>
        dialect.updateFromRows(tx, { table: 'nodes', columns, rows, set, on: 't.node_id = r.id' }),
      );
      expect(changed).toBe(500);
      expect(await dialect.root.rows("SELECT host_name, seen_at FROM nodes WHERE node_id = 'n321'")).toEqual([
        { host_name: '主机 321 🚀', seen_at: 1_000_000_000_000_642 },
      ]);
    });

    it('changes only rows that meet every condition, and counts them', async () => {
      for (const [id, seenAt] of [
        ['a', 1],
        ['b', 2],
        ['c', 1],
      ] as const)
        await addNode(dialect.root, id, seenAt);
      const rows = ['a', 'b', 'c', 'nobody'].map((id) => [id, 'new', 5]);
      const update = { table: 'nodes', columns, rows, set, on: 't.node_id = r.id AND t.seen_at = 1' };
      expect(await dialect.updateFromRows(dialect.root, update)).toBe(2);
      expect(await dialect.root.rows('SELECT node_id, host_name FROM nodes ORDER BY node_id')).toEqual([
        { node_id: 'a', host_name: 'new' },
        { node_id: 'b', host_name: 'host' },
        { node_id: 'c', host_name: 'new' },
      ]);
    });

    it('counts matched rows that end as they were', async () => {
      await addNode(dialect.root, 'a');
      const update = { table: 'nodes', columns, rows: [['a', 'host', 0]], set, on: 't.node_id = r.id' };
      expect(await dialect.updateFromRows(dialect.root, update)).toBe(1);
    });

    it('turns null and undefined of every type into NULL, and leaves the text null alone', async () => {
      for (const no of [0, 1, 2]) await dialect.root.run('INSERT INTO partitions VALUES (?, ?, ?, ?)', [no, 'somebody', 1, 1]);
      const update = {
        table: 'partitions',
        columns: [
          ['no', 'int'],
          ['holder', 'id'],
          ['epoch', 'int'],
          ['note', 'text'],
          ['until', 'bigint'],
        ] as const,
        rows: [
          [0, null, null, null, null],
          [1, undefined, 3, '', 4],
          [2, 'null', 0, 'null', 0],
        ],
        set: {
          holder: 'r.holder',
          epoch: 'COALESCE(r.epoch, 99)',
          expires_at: 'CASE WHEN r.note IS NULL THEN 1000 ELSE COALESCE(r.until, 99) END',
        },
        on: 't.partition_no = r.no',
      };
      expect(await dialect.updateFromRows(dialect.root, update)).toBe(3);
      expect(await dialect.root.rows('SELECT * FROM partitions ORDER BY partition_no')).toEqual([
        { partition_no: 0, holder: null, epoch: 99, expires_at: 1000 },
        { partition_no: 1, holder: null, epoch: 3, expires_at: 4 },
        { partition_no: 2, holder: 'null', epoch: 0, expires_at: 0 },
      ]);
    });

    it('keeps quotes, backslashes, line breaks and control characters in text', async () => {
      const text = `a "quoted" 'text' \\ and \\" \n\r\t \u0001 … 汉字 🧭`;
      await addNode(dialect.root, 'a');
      await dialect.updateFromRows(dialect.root, {
        table: 'nodes',
        columns,
        rows: [['a', text, 0]],
        set,
        on: 't.node_id = r.id',
      });
      expect(await dialect.root.rows('SELECT host_name FROM nodes')).toEqual([{ host_name: text }]);
    });

    it('splits what would exceed the largest packet', async () => {
      const result = 'x'.repeat(250 * 1024);
      const ids = Array.from({ length: 90 }, (_, index) => `big${index}`);
      for (const id of ids) await addNode(dialect.root, id);
      const update = {
        table: 'nodes',
        columns: [
          ['id', 'id'],
          ['payload', 'text'],
        ] as const,
        rows: ids.map((id) => [id, result]),
        set: { seen_at: 'LENGTH(r.payload)' },
        on: 't.node_id = r.id',
      };
      expect(await dialect.transaction((tx) => dialect.updateFromRows(tx, update))).toBe(90);
      expect(await dialect.root.rows('SELECT DISTINCT seen_at FROM nodes')).toEqual([{ seen_at: result.length }]);
    });

    it('does nothing for no rows', async () => {
      expect(await dialect.updateFromRows(dialect.root, { table: 'nodes', columns, rows: [], set, on: 't.node_id = r.id' })).toBe(
        0,
      );
    });
  });

  describe('errors', () => {
    const failure = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );

    it('are recognised as the violation of a unique key, by its name', async () => {
      await addUser(dialect.root, 'twice');
      const error = await failure(addUser(dialect.root, 'twice'));
      expect(dialect.isUniqueViolation(error)).toBe(true);
      expect(dialect.isUniqueViolation(error, 'uk_users_username')).toBe(true);
      expect(dialect.isUniqueViolation(error, 'PRIMARY')).toBe(false);
      expect(dialect.isUnavailable(error)).toBe(false);
    });

    it('tell a doubled primary key as PRIMARY', async () => {
      await addNode(dialect.root, 'twice');
      const error = await failure(dialect.transaction((tx) => addNode(tx, 'twice')));
      expect(dialect.isUniqueViolation(error, 'PRIMARY')).toBe(true);
    });

    it('of other kinds are neither', async () => {
      const error = await failure(dialect.root.run('UPDATE nodes SET seen_at = NULL'));
      await addNode(dialect.root, 'a');
      const notNull = await failure(dialect.root.run('UPDATE nodes SET seen_at = NULL'));
      for (const other of [error, notNull, new Error('x'), undefined, 'text']) {
        expect(dialect.isUniqueViolation(other)).toBe(false);
        expect(dialect.isUnavailable(other)).toBe(false);
        expect(dialect.isContention(other)).toBe(false);
      }
      expect(notNull).toBeInstanceOf(Error);
    });

    it('leave a transaction able to read what the winner wrote', async () => {
      await addUser(dialect.root, 'winner');
      const found = await dialect.transaction(async (tx) => {
        await failure(addUser(tx, 'winner'));
        return tx.rows('SELECT username FROM users WHERE username = ?', ['winner']);
      });
      expect(found).toEqual([{ username: 'winner' }]);
    });
  });

  if (adapter === 'embedded') {
    it('refuses, instead of waiting for ever, when a transaction uses anything but its own handle', async () => {
      await expect(dialect.transaction(async () => dialect.root.rows('SELECT 1 AS one'))).rejects.toThrow(/only the handle/);
      await expect(dialect.transaction(async () => dialect.transaction(async () => 1))).rejects.toThrow(/only the handle/);
      await expect(dialect.transaction(async () => dialect.root.manager.findBy('users', {}))).rejects.toThrow(/only the handle/);
      await addNode(dialect.root, 'after');
      expect(await nodeIds()).toEqual(['after']);
    });

    it('lets what a transaction started run once it has ended', async () => {
      const ended = await dialect.transaction(async (tx) => {
        await addNode(tx, 'a');
        return { later: () => nodeIds() };
      });
      expect(await ended.later()).toEqual(['a']);
    });

    it('keeps the event loop turning while many transactions wait', async () => {
      let turns = 0;
      let counting = true;
      const turn = (): void => {
        turns++;
        if (counting) setImmediate(turn);
      };
      setImmediate(turn);
      await Promise.all(Array.from({ length: 400 }, (_, index) => dialect.transaction((tx) => addNode(tx, `t${index}`))));
      counting = false;
      expect(turns).toBeGreaterThan(3);
    });
  }

  if (adapter === 'cluster') {
    it('retries the whole work when it is chosen as the victim of a deadlock', async () => {
      await addNode(dialect.root, 'a', 0);
      await addNode(dialect.root, 'b', 0);
      let tries = 0;
      let arrived = 0;
      const bothArrived = { done: () => {} };
      const meeting = new Promise<void>((resolve) => {
        bothArrived.done = resolve;
      });
      const crossing = (first: string, second: string): Promise<void> =>
        dialect.transaction(async (tx) => {
          tries++;
          await tx.run('UPDATE nodes SET seen_at = seen_at + 1 WHERE node_id = ?', [first]);
          if (++arrived === 2) bothArrived.done();
          await meeting;
          await tx.run('UPDATE nodes SET seen_at = seen_at + 1 WHERE node_id = ?', [second]);
        });
      await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
      expect(tries).toBe(3);
      expect(await dialect.root.rows('SELECT seen_at FROM nodes')).toEqual([{ seen_at: 2 }, { seen_at: 2 }]);
    });

    it('tells that another transaction was in the way, which is not that the database is away', async () => {
      await addNode(dialect.root, 'a', 0);
      let error: unknown;
      await dialect.transaction(async (tx) => {
        await tx.run('UPDATE nodes SET seen_at = 1 WHERE node_id = ?', ['a']);
        error = await dialect.root.run('UPDATE nodes SET seen_at = 2 WHERE node_id = ?', ['a']).catch((reason) => reason);
      });
      expect([dialect.isContention(error), dialect.isUnavailable(error), dialect.isUniqueViolation(error)]).toEqual([
        true,
        false,
        false,
      ]);
    });

    it.each([true, false])(
      'does not wait for locked rows with an impatient handle (single statements can: %s)',
      async (statesWaits) => {
        const other = new MysqlDialect(backends.dataSource, statesWaits);
        await addNode(dialect.root, 'a', 0);
        const change = (sql: Sql) => sql.run('UPDATE nodes SET seen_at = 2 WHERE node_id = ?', ['a']);
        const failed: [string, boolean][] = [];
        const failing = (name: string, statement: Promise<number>) =>
          statement.catch((error) => failed.push([name, dialect.isContention(error)]));
        await dialect.transaction(async (tx) => {
          await tx.run('UPDATE nodes SET seen_at = 1 WHERE node_id = ?', ['a']);
          const waiting = failing('patient', change(dialect.root));
          await failing('impatient', change(other.impatient(other.root)));
          await waiting;
        });
        expect(failed).toEqual([
          ['impatient', true],
          ['patient', true],
        ]);
        expect(await change(other.impatient(other.root))).toBe(1);
        expect(await dialect.transaction((tx) => change(other.impatient(tx)))).toBe(1);
        const waits = await Promise.all(
          Array.from({ length: 10 }, () => dialect.root.rows('SELECT @@innodb_lock_wait_timeout AS lock_wait')),
        );
        expect(waits).toEqual(Array(10).fill([{ lock_wait: 3 }]));
      },
    );

    it('sees with uncommitted what another transaction may still take back', async () => {
      const read = (sql: Pick<Sql, 'rows'>) => sql.rows('SELECT node_id FROM nodes');
      const seen = await dialect.transaction(async (tx) => {
        await addNode(tx, 'a');
        return [await read(dialect.uncommitted), await read(dialect.root)];
      });
      expect(seen).toEqual([[{ node_id: 'a' }], []]);
    });

    it('passes over rows that others hold with forUpdateSkipLocked', async () => {
      await addNode(dialect.root, 'a');
      await addNode(dialect.root, 'b');
      const free = await dialect.transaction(async (tx) => {
        await tx.rows(`SELECT node_id FROM nodes WHERE node_id = 'a' ${dialect.forUpdate}`);
        return dialect.transaction((other) =>
          other.rows(`SELECT node_id FROM nodes ORDER BY node_id ${dialect.forUpdateSkipLocked}`),
        );
      });
      expect(free).toEqual([{ node_id: 'b' }]);
    });

    it('runs its sessions at READ COMMITTED, in UTC, with short waits', async () => {
      const isolation = await dialect.transaction(async (tx) => {
        await tx.rows('SELECT node_id FROM nodes');
        await addNode(dialect.root, 'committed meanwhile');
        return tx.rows<{ node_id: string }>('SELECT node_id FROM nodes');
      });
      expect(isolation).toEqual([{ node_id: 'committed meanwhile' }]);
      const session = await dialect.root.rows(
        'SELECT @@time_zone AS zone, @@innodb_lock_wait_timeout AS lock_wait, @@wait_timeout AS idle',
      );
      expect(session).toEqual([{ zone: '+00:00', lock_wait: 3, idle: 5 }]);
    });

    it('calls a killed connection unavailable, rolls its work back and goes on', async () => {
      const killed = await dialect
        .transaction(async (tx) => {
          await addNode(tx, 'lost');
          const [row] = await tx.rows<{ id: number }>('SELECT CONNECTION_ID() AS id');
          await dialect.root.run(`KILL ${row?.id}`);
          await tx.rows('SELECT 1 AS one');
        })
        .catch((error: unknown) => error);
      expect(dialect.isUnavailable(killed)).toBe(true);
      expect(await waitFor('the pool answers', () => nodeIds().catch(() => undefined))).toEqual([]);
    });
  }
});
