import { type DynamicModule, Global, Module, type OnModuleDestroy, type Provider } from '@nestjs/common';
import { ConsoleModule } from './admin/admin.module.js';
import { AccessKeysService } from './auth/access-keys.service.js';
import { AuditService } from './auth/audit.service.js';
import { AuthModule } from './auth/auth.module.js';
import { BackendsModule } from './backends/backends.module.js';
import { CallbackTrail } from './callbacks/callback-trail.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { DispatchModule } from './dispatch/dispatch.module.js';
import { DispatchLoops } from './dispatch/dispatch-loops.js';
import { WorkerKeys } from './dispatch/worker-keys.js';
import { JobsModule } from './jobs/jobs.module.js';
import { KeyringModule } from './keyring.module.js';
import { HandlerDirectory } from './openapi/handler-directory.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import type { Config } from './platform/config.js';
import { HttpModule } from './platform/http/http.module.js';
import { Leaving } from './platform/http/leaving.js';
import { RegistryModule } from './registry/registry.module.js';
import { WorkersService } from './registry/workers.service.js';
import { TasksModule } from './tasks/tasks.module.js';

/** Orders are signed with the workers' own keys. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [{ provide: WorkerKeys, useExisting: AccessKeysService }],
  exports: [WorkerKeys],
})
class WorkerKeysModule {}

/** What the deliverer does of its own accord is logged as the system's. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [
    {
      provide: CallbackTrail,
      useFactory: (audit: AuditService): CallbackTrail => ({
        write: async (tx, deed) => void (await audit.write(tx, { actor: 'system', ...deed })),
      }),
      inject: [AuditService],
    },
  ],
  exports: [CallbackTrail],
})
class CallbackTrailModule {}

const HANDLERS: Provider<HandlerDirectory> = {
  provide: HandlerDirectory,
  useFactory: (workers: WorkersService): HandlerDirectory => ({
    hasLiveWorker: (group, handler) => workers.anyServes(group, handler),
  }),
  inject: [WorkersService],
};

/** The map: every module of a node. */
@Module({})
export class AppModule implements OnModuleDestroy {
  constructor(
    private readonly leaving: Leaving,
    private readonly loops: DispatchLoops,
  ) {}

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
        WorkerKeysModule,
        CallbackTrailModule,
        ConsoleModule,
        OpenapiModule.register({
          imports: [AuthModule, TasksModule, JobsModule, DispatchModule, RegistryModule, CallbacksModule],
          handlers: HANDLERS,
        }),
      ],
    };
  }

  /**
   * A stop begins here, since nothing stands on this module: nobody new comes in and whoever waits is answered, while the partitions
   * go to other nodes. Then everything else stops, then the server has answered what was under way, then the back ends are closed.
   */
  async onModuleDestroy(): Promise<void> {
    this.leaving.begin();
    await this.loops.stop();
  }
}
