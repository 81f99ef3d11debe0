import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { openBackends } from '../../src/backends/backends.js';
import { BackendsModule } from '../../src/backends/backends.module.js';
import { runMigrations } from '../../src/backends/migrate.js';
import { Clock } from '../../src/platform/clock.js';
import { Config } from '../../src/platform/config.js';
import { Lease, NonceStore, RateLimiter, Signals, SqlDialect } from '../../src/ports.js';
import { ADAPTERS, freshDatabase } from '../support/services.js';

/** A loop that still needs the database while it stops. */
@Injectable()
class Loop implements OnModuleDestroy {
  lastWrite = 0;
  constructor(private readonly dialect: SqlDialect) {}
  async onModuleDestroy(): Promise<void> {
    this.lastWrite = await this.dialect.root.run(
      'INSERT INTO nodes (node_id, host_name, started_at, seen_at) VALUES (?, ?, 0, 0)',
      ['n', 'h'],
    );
  }
}

@Module({ providers: [Loop] })
class LoopModule {}

describe.each(ADAPTERS)('BackendsModule, %s', (adapter) => {
  it('gives every module every port, and closes them after the loops have stopped', async () => {
    const database = await freshDatabase(adapter);
    const prepared = await openBackends(database.config, 'migrate');
    await runMigrations(prepared.dataSource);
    await prepared.close();

    @Module({ imports: [BackendsModule.forRoot(database.config), LoopModule] })
    class AppModule {}
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    for (const token of [Config, DataSource, SqlDialect, Clock, Lease, Signals, NonceStore, RateLimiter])
      expect(app.get(token, { strict: false })).toBeInstanceOf(token);
    const loop = app.get(Loop, { strict: false });
    await app.close();
    expect(loop.lastWrite).toBe(1);

    const again = await database.open();
    expect(await again.dialect.root.rows('SELECT node_id FROM nodes')).toEqual([{ node_id: 'n' }]);
    await database.drop();
  });
});
