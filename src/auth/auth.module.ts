import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { AccessKeysService } from './access-keys.service.js';
import { AccessKeysStore } from './access-keys.store.js';
import { AppsService } from './apps.service.js';
import { AppsStore } from './apps.store.js';
import { AudienceMarks } from './audience-marks.js';
import { AuditService } from './audit.service.js';
import { AuditStore } from './audit.store.js';
import { FailedAuthentications } from './failed-authentications.js';
import { KeyUsage } from './key-usage.js';
import { SessionsService } from './sessions.service.js';
import { SessionsStore } from './sessions.store.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { SignatureCheck } from './signature-check.js';
import { UsersService } from './users.service.js';
import { UsersStore } from './users.store.js';

/**
 * Who may come in. Needs, from global modules: SqlDialect, Signals, NonceStore, RateLimiter, Clock, Config and Keyring.
 * Guards every route of the application.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    AppsStore,
    AppsService,
    AccessKeysStore,
    AccessKeysService,
    UsersStore,
    UsersService,
    SessionsStore,
    SessionsService,
    SignInThrottle,
    AuditStore,
    AuditService,
    FailedAuthentications,
    KeyUsage,
    AudienceMarks,
    SignatureCheck,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [AppsService, AccessKeysService, UsersService, SessionsService, AuditService, AudienceMarks],
})
export class AuthModule {}
