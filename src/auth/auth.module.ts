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
import { CallerQuota } from './caller-quota.js';
import { FailedAuthentications } from './failed-authentications.js';
import { KeyNews } from './key-news.js';
import { KeyTraffic } from './key-traffic.js';
import { KeyUsage } from './key-usage.js';
import { RejectedRequestStore } from './rejected-request.store.js';
import { RejectedRequests } from './rejected-requests.js';
import { SecretRewrapService } from './secret-rewrap.service.js';
import { SessionsService } from './sessions.service.js';
import { SessionsStore } from './sessions.store.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { SignatureCheck } from './signature-check.js';
import { Standing } from './standing.js';
import { Strangers } from './strangers.js';
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
    SecretRewrapService,
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
    Strangers,
    CallerQuota,
    RejectedRequestStore,
    RejectedRequests,
    KeyNews,
    KeyUsage,
    KeyTraffic,
    AudienceMarks,
    SignatureCheck,
    Standing,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    AppsService,
    AccessKeysService,
    SecretRewrapService,
    UsersService,
    SessionsService,
    AuditService,
    AudienceMarks,
    KeyNews,
    KeyUsage,
    RejectedRequests,
    Standing,
  ],
})
export class AuthModule {}
