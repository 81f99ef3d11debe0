import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import type { Purpose } from './backends/adapters.js';
import { BackendsModule } from './backends/backends.module.js';
import { DispatchModule } from './dispatch/dispatch.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { KeyringModule } from './keyring.module.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import type { Config } from './platform/config.js';
import { HttpModule } from './platform/http/http.module.js';
import { TasksModule } from './tasks/tasks.module.js';

/** The map: every module of a node. */
@Module({})
export class AppModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: AppModule,
      imports: [
        BackendsModule.forRoot(config),
        KeyringModule,
        HttpModule,
        AuthModule,
        JobsModule,
        TasksModule,
        DispatchModule,
        OpenapiModule,
      ],
    };
  }
}

/** What administration commands need of it: no loops, no HTTP. */
@Module({})
export class AdminModule {
  static forRoot(config: Config, purpose: Purpose = 'command'): DynamicModule {
    return { module: AdminModule, imports: [BackendsModule.forRoot(config, purpose), KeyringModule, AuthModule, JobsModule] };
  }
}
