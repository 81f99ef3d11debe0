import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthController } from './health.controller.js';
import { Readiness } from './health.js';
import { LandingController } from './landing.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { RouteTable } from './route-table.js';

/** What every HTTP answer has in common. Global, so that any module may add a readiness check. */
@Global()
@Module({
  controllers: [HealthController, LandingController],
  providers: [RouteTable, Readiness, { provide: APP_FILTER, useClass: ProblemFilter }],
  exports: [RouteTable, Readiness],
})
export class HttpModule {}
