import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DispatchModule } from '../dispatch/dispatch.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AuditController } from './audit/audit.controller.js';
import { ConsoleAuditService } from './audit/console-audit.service.js';
import { ConsoleSessionController } from './session/session.controller.js';
import { ConsoleSessionService } from './session/session.service.js';
import { Trail } from './trail.js';
import { ConsoleUsersController } from './users/users.controller.js';
import { ConsoleUsersService } from './users/users.service.js';

/** The console's face: `/api`, its stream and its files. */
@Module({
  imports: [AuthModule, JobsModule, RegistryModule, TasksModule, DispatchModule],
  controllers: [ConsoleSessionController, ConsoleUsersController, AuditController],
  providers: [Trail, ConsoleSessionService, ConsoleUsersService, ConsoleAuditService],
})
export class ConsoleModule {}
