import { Controller, Get, Req } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { JobGraphService } from './job-graph.service.js';

/** Which jobs wait for which. */
@For('console')
@Controller('api/graph')
export class GraphController {
  constructor(private readonly graphs: JobGraphService) {}

  @Get()
  @Needs('jobs.view')
  graph(@Req() request: ConsoleRequest) {
    return this.graphs.graph(request);
  }
}
