import { Module } from '@nestjs/common';
import { AttemptDelivery } from './attempt-delivery.js';
import { CallbackOutbox } from './callback-outbox.js';
import { CallbackPolicy } from './callback-policy.js';
import { CallbackSettingsModule } from './callback-settings.module.js';
import { ChallengeStore } from './challenge.store.js';
import { ChallengeTurns } from './challenge-turns.js';
import { Deliverer } from './deliverer.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryStore } from './delivery.store.js';
import { DeliveryNews } from './delivery-news.js';
import { EndpointsService } from './endpoints.service.js';
import { GuardedHttp } from './guarded-http.js';
import { OldDeliveries } from './old-deliveries.js';
import { OldDeliveryStore } from './old-delivery.store.js';
import { OutboxStore } from './outbox.store.js';
import { PendingCallbacks } from './pending-callbacks.js';
import { SendStore } from './send.store.js';

/** Webhooks about the ends of tasks. Needs, from global modules: SqlDialect, Signals, Clock, Config, SecretSealer, SealedColumns and CallbackTrail. */
@Module({
  imports: [CallbackSettingsModule],
  providers: [
    OutboxStore,
    CallbackOutbox,
    SendStore,
    DeliveryStore,
    CallbackPolicy,
    {
      provide: GuardedHttp,
      useFactory: ({ targets }: CallbackPolicy) => new GuardedHttp(targets),
      inject: [CallbackPolicy],
    },
    AttemptDelivery,
    DeliveryNews,
    Deliverer,
    PendingCallbacks,
    ChallengeStore,
    ChallengeTurns,
    EndpointsService,
    DeliveriesService,
    OldDeliveryStore,
    OldDeliveries,
  ],
  exports: [CallbackOutbox, CallbackPolicy, DeliveryNews, PendingCallbacks, EndpointsService, DeliveriesService, OldDeliveries],
})
export class CallbacksModule {}
