import { Global, Module } from '@nestjs/common';
import { WorkerProbe } from '../registry/worker-probe.js';
import { WorkerClient } from './worker-client.js';

/** Global, so that the registry below can probe workers through its own abstraction. Needs WorkerKeys and Clock from global modules. */
@Global()
@Module({
  providers: [WorkerClient, { provide: WorkerProbe, useExisting: WorkerClient }],
  exports: [WorkerClient, WorkerProbe],
})
export class WorkerClientModule {}
