import { MIGRATIONS } from '../../migrations/index.js';
import { openBackends } from '../../src/backends/backends.js';
import { openMysql } from '../../src/backends/cluster/mysql-data-source.js';
import { MigrationsPendingError, pendingMigrations, runMigrations } from '../../src/backends/migrate.js';
import { freshDatabase } from '../support/services.js';

describe('migrations of a cluster', () => {
  it('run once when several nodes start together', async () => {
    const database = await freshDatabase('cluster');
    const url = new URL(String(database.env.DATABASE_URL));
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openMysql({ url, poolSize: 2, silenceMs: 0 })));
    const ran = await Promise.all(nodes.map((dataSource) => runMigrations(dataSource)));
    expect(ran.flat().sort()).toEqual(MIGRATIONS.map((migration) => migration.name).sort());
    for (const dataSource of nodes) {
      expect(await pendingMigrations(dataSource)).toEqual([]);
      await dataSource.destroy();
    }
    await database.drop();
  });

  it('are not run by a server: it names the command', async () => {
    const database = await freshDatabase('cluster');
    const start = openBackends(database.config, 'server');
    await expect(start).rejects.toThrow(MigrationsPendingError);
    await expect(start).rejects.toThrow(/npx evenkeel migrate/);
    await database.drop();
  });
});
