import { Module } from '@nestjs/common';
import { CallbackHostsService } from './callback-hosts.service.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { SealedStore } from './sealed.store.js';
import { SealedWebhooks } from './sealed-webhooks.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** What people decide about callbacks: no loop that sends anything. Needs, from global modules: SqlDialect, Signals, Clock, SecretSealer and SealedColumns. */
@Module({
  providers: [EndpointStore, EndpointDirectory, WebhookSecrets, CallbackHostsService, SealedStore, SealedWebhooks],
  exports: [EndpointStore, EndpointDirectory, WebhookSecrets, CallbackHostsService],
})
export class CallbackSettingsModule {}
