import { Module } from '@nestjs/common';
import { BeatsService } from './beats.service.js';
import { Liveness } from './liveness.js';
import { RegistrationsService } from './registrations.service.js';
import { WorkerStore } from './worker.store.js';
import { WorkersService } from './workers.service.js';

/** Needs, from global modules: SqlDialect, Signals, Clock, and WorkerProbe (`dispatch/worker-client.module`). */
@Module({
  providers: [WorkerStore, WorkersService, BeatsService, RegistrationsService, Liveness],
  exports: [WorkerStore, WorkersService, BeatsService, RegistrationsService],
})
export class RegistryModule {}
