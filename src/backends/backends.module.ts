import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { Lease, NonceStore, RateLimiter, Signals, SqlDialect } from '../ports.js';
import type { Purpose } from './adapters.js';
import { type Backends, openBackends } from './backends.js';

const BACKENDS = 'evenkeel:backends';
const port = (token: unknown, pick: (backends: Backends) => unknown) => ({
  provide: token as string,
  useFactory: pick,
  inject: [BACKENDS],
});

/** What is connected, once for the whole process. */
@Global()
@Module({})
class ConnectionsModule {
  static for(config: Config, purpose: Purpose): DynamicModule {
    return {
      module: ConnectionsModule,
      providers: [{ provide: BACKENDS, useFactory: () => openBackends(config, purpose) }],
      exports: [BACKENDS],
    };
  }
}

type WithDataSource = TypeOrmModuleOptions & { opened: DataSource };

/** Everything that differs between a laptop and a cluster, for every module. Closed last, after the loops have stopped. */
@Global()
@Module({})
export class BackendsModule implements OnApplicationShutdown {
  constructor(@Inject(BACKENDS) private readonly backends: Backends) {}

  static forRoot(config: Config, purpose: Purpose = 'server'): DynamicModule {
    const ports = [
      port(SqlDialect, (b) => b.dialect),
      port(Clock, (b) => b.clock),
      port(Lease, (b) => b.lease),
      port(Signals, (b) => b.signals),
      port(NonceStore, (b) => b.nonceStore),
      port(RateLimiter, (b) => b.rateLimiter),
    ];
    return {
      module: BackendsModule,
      imports: [
        ConnectionsModule.for(config, purpose),
        // Nest's own module hands the opened data source on, so that repositories can be injected as usual.
        TypeOrmModule.forRootAsync({
          inject: [BACKENDS],
          useFactory: ({ dataSource }: Backends) => ({ ...dataSource.options, opened: dataSource }) as WithDataSource,
          dataSourceFactory: async (options) => (options as WithDataSource).opened,
        }),
      ],
      providers: [{ provide: Config, useValue: config }, ...ports],
      exports: [Config, ...ports.map(({ provide }) => provide)],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.backends.close();
  }
}
