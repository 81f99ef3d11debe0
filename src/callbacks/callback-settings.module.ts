import { Module } from '@nestjs/common';
import { CallbackHostsService } from './callback-hosts.service.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** What people decide about callbacks: no loop that sends anything. Needs, from global modules: SqlDialect, Signals, Clock and SecretSealer. */
@Module({
  providers: [EndpointStore, EndpointDirectory, WebhookSecrets, CallbackHostsService],
  exports: [EndpointStore, EndpointDirectory, WebhookSecrets, CallbackHostsService],
})
export class CallbackSettingsModule {}
