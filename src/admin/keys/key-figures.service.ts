import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { KeyFigures } from '../contract/keys.js';
import { KeyRollupStore } from '../rollups/key-rollup.store.js';
import { HOUR, noRequests } from '../rollups/rollup.js';

const HOURS = 24;

/** How keys have been used in this hour and the twenty-three before it, from figures of every node. */
@Injectable()
export class KeyFiguresService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: KeyRollupStore,
    private readonly clock: Clock,
  ) {}

  /** Those that sent nothing are left out. */
  async of(accessKeys: readonly string[]): Promise<Map<string, KeyFigures>> {
    const from = (Math.floor(this.clock.now() / HOUR) - HOURS + 1) * HOUR;
    const sums = new Map<string, KeyFigures>();
    for (const { accessKey, figures } of await this.store.read(this.dialect.root, accessKeys, from)) {
      const sum = sums.get(accessKey) ?? noRequests();
      sum.requests += figures.requests;
      sum.failed += figures.failed;
      sums.set(accessKey, sum);
    }
    return sums;
  }
}
