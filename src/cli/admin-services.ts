import { Injectable } from '@nestjs/common';
import { AccessKeysService } from '../auth/access-keys.service.js';
import { AppsService } from '../auth/apps.service.js';
import { AuditService } from '../auth/audit.service.js';
import { SecretRewrapService } from '../auth/secret-rewrap.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { UsersService } from '../auth/users.service.js';
import { CallbackHostsService } from '../callbacks/callback-hosts.service.js';
import { DrainsService } from '../dispatch/drains.service.js';
import { ConfigurationService } from '../jobs/configuration.service.js';
import { GroupsService } from '../jobs/groups.service.js';
import { SystemSettingsService } from '../jobs/system-settings.service.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';

/** What administration commands work with. A command knows its type alone: the services are loaded when one runs, not to list them. */
@Injectable()
export class AdminServices {
  constructor(
    readonly config: Config,
    readonly clock: Clock,
    readonly groups: GroupsService,
    readonly systemSettings: SystemSettingsService,
    readonly configuration: ConfigurationService,
    readonly apps: AppsService,
    readonly keys: AccessKeysService,
    readonly secretRewrap: SecretRewrapService,
    readonly users: UsersService,
    readonly sessions: SessionsService,
    readonly audit: AuditService,
    readonly callbackHosts: CallbackHostsService,
    readonly drains: DrainsService,
  ) {}
}
