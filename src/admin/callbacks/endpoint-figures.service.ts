import { Injectable } from '@nestjs/common';
import { percentiles } from '../../decisions/duration-histogram.js';
import { groupedBy } from '../../decisions/grouped.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { EndpointFigures } from '../contract/callbacks.js';
import { EndpointRollupStore } from '../rollups/endpoint-rollup.store.js';
import { addAttempts, HOUR, noAttempts } from '../rollups/rollup.js';

const HOURS = 24;

/** How endpoints have answered in this hour and the twenty-three before it, from figures of every node. */
@Injectable()
export class EndpointFiguresService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: EndpointRollupStore,
    private readonly clock: Clock,
  ) {}

  /** Those nothing was sent to are left out. */
  async of(endpointIds: readonly string[]): Promise<Map<string, EndpointFigures>> {
    const from = (Math.floor(this.clock.now() / HOUR) - HOURS + 1) * HOUR;
    const rows = groupedBy(await this.store.read(this.dialect.root, endpointIds, from), ({ endpointId }) => endpointId);
    return new Map(
      [...rows].map(([id, hours]) => {
        const sum = noAttempts();
        for (const { figures } of hours) addAttempts(sum, figures);
        const [p95 = null] = percentiles(sum.times, [0.95])?.values ?? [];
        return [id, { attempts: sum.succeeded + sum.failed, succeeded: sum.succeeded, p95Ms: p95 }];
      }),
    );
  }
}
