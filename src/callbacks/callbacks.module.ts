import { Module } from '@nestjs/common';
import { AttemptDelivery } from './attempt-delivery.js';
import { CallbackHostsService } from './callback-hosts.service.js';
import { CallbackOutbox } from './callback-outbox.js';
import { CallbackPolicy } from './callback-policy.js';
import { Deliverer } from './deliverer.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryStore } from './delivery.store.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { EndpointsService } from './endpoints.service.js';
import { GuardedHttp } from './guarded-http.js';
import { OutboxStore } from './outbox.store.js';
import { SendStore } from './send.store.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Webhooks about the ends of tasks. Needs, from global modules: SqlDialect, Signals, Clock, Config and SecretSealer. */
@Module({
  providers: [
    EndpointStore,
    EndpointDirectory,
    OutboxStore,
    CallbackOutbox,
    SendStore,
    DeliveryStore,
    WebhookSecrets,
    CallbackPolicy,
    {
      provide: GuardedHttp,
      useFactory: ({ targets }: CallbackPolicy) => new GuardedHttp(targets),
      inject: [CallbackPolicy],
    },
    AttemptDelivery,
    Deliverer,
    EndpointsService,
    DeliveriesService,
    CallbackHostsService,
  ],
  exports: [CallbackOutbox, CallbackPolicy, EndpointsService, DeliveriesService, CallbackHostsService],
})
export class CallbacksModule {}
