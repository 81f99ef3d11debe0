import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { SqlDialect } from '../../ports.js';
import { AnsweredRequests } from './answered-requests.js';
import { FrontPage } from './front-page.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './health.js';
import { HeldRequests } from './held-requests.js';
import { LandingController } from './landing.controller.js';
import { Leaving } from './leaving.js';
import { ProblemFilter } from './problem.filter.js';
import { RouteTable } from './route-table.js';

/** What every HTTP answer has in common. Global, so that any module may add a readiness check. */
@Global()
@Module({
  controllers: [HealthController, LandingController],
  providers: [
    RouteTable,
    Readiness,
    FrontPage,
    AnsweredRequests,
    Leaving,
    HeldRequests,
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [RouteTable, Readiness, FrontPage, AnsweredRequests, Leaving, HeldRequests],
})
export class HttpModule {
  constructor(readiness: Readiness, dialect: SqlDialect) {
    readiness.add({
      name: 'database',
      check: async () => ((await dialect.root.rows('SELECT 1 AS one')).length === 1 ? null : 'silent'),
    });
  }
}
