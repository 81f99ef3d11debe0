import { Controller, Get, Req } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { CalendarService } from './calendar.service.js';
import { ChartsService } from './charts.service.js';
import { ComparisonService } from './comparison.service.js';
import { OverviewService } from './overview.service.js';
import { SearchService } from './search.service.js';

/** The whole at a glance. */
@For('console')
@Controller('api')
export class OverviewController {
  constructor(
    private readonly overviews: OverviewService,
    private readonly figures: ChartsService,
    private readonly fires: CalendarService,
    private readonly finder: SearchService,
    private readonly comparisons: ComparisonService,
  ) {}

  @Get('overview')
  @Needs('tasks.view')
  overview(@Req() request: ConsoleRequest) {
    return this.overviews.overview(request);
  }

  @Get('overview/charts')
  @Needs('tasks.view')
  charts(@Req() request: ConsoleRequest) {
    return this.figures.charts(request);
  }

  @Get('overview/comparison')
  @Needs('tasks.view')
  comparison(@Req() request: ConsoleRequest) {
    return this.comparisons.comparison(request);
  }

  @Get('calendar')
  @Needs('jobs.view')
  calendar(@Req() request: ConsoleRequest) {
    return this.fires.calendar(request);
  }

  @Get('search')
  @Needs(SIGNED_IN)
  search(@Req() request: ConsoleRequest) {
    return this.finder.search(request);
  }
}
