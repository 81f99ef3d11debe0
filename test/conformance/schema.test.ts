import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backends } from '../../src/backends/backends.js';
import { pendingMigrations } from '../../src/backends/migrate.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';

const reservedWords = new Set(
  readFileSync(join(__dirname, '../data/mysql-reserved-words.txt'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#')),
);

describe.each(ADAPTERS)('the migrated schema, %s', (adapter) => {
  let database: FreshDatabase;
  let backends: Backends;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
  });
  afterAll(() => database.drop());

  it('equals the entities', async () => {
    const { upQueries } = await backends.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map((query) => query.query)).toEqual([]);
  });

  it('leaves no migration pending', async () => {
    expect(await pendingMigrations(backends.dataSource)).toEqual([]);
  });

  it('uses no reserved word of MySQL 8 or 9 as an identifier', () => {
    const identifiers = backends.dataSource.entityMetadatas.flatMap((entity) => [
      entity.tableName,
      ...entity.columns.map((column) => column.databaseName),
      ...entity.uniques.map((unique) => unique.name),
      ...entity.indices.map((index) => index.name),
    ]);
    expect(identifiers.length).toBeGreaterThan(80);
    expect(identifiers.filter((identifier) => reservedWords.has(String(identifier).toUpperCase()))).toEqual([]);
  });
});
