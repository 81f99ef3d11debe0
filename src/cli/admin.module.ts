import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import type { Purpose } from '../backends/adapters.js';
import { BackendsModule } from '../backends/backends.module.js';
import { CallbackSettingsModule } from '../callbacks/callback-settings.module.js';
import { DrainsService } from '../dispatch/drains.service.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { KeyringModule } from '../keyring.module.js';
import type { Config } from '../platform/config.js';
import { WorkerStore } from '../registry/worker.store.js';
import { ClaimStore } from '../tasks/claim.store.js';
import { AdminServices } from './admin-services.js';

/** What administration commands need of the house: no loops, no HTTP. Apart from the whole of it, which takes longer to load. */
@Module({})
export class AdminModule {
  static forRoot(config: Config, purpose: Purpose = 'command'): DynamicModule {
    return {
      module: AdminModule,
      imports: [BackendsModule.forRoot(config, purpose), KeyringModule, AuthModule, JobsModule, CallbackSettingsModule],
      providers: [WorkerStore, ClaimStore, DrainsService, AdminServices],
    };
  }
}
